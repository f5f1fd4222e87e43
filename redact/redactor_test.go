package redact

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestRedactorOff(t *testing.T) {
	const in = "bob@example.com 10.0.0.1 PESEL 44051401359 CPF 529.982.247-25 SSN 536-90-4399"
	for _, tt := range []struct {
		name, want string
		off        []string
	}{
		{"none", "[EMAIL_REDACTED] [IP_REDACTED] PESEL [NATIONAL_ID_REDACTED] CPF [NATIONAL_ID_REDACTED] SSN [SSN_REDACTED]", nil},
		{"one", "bob@example.com [IP_REDACTED] PESEL [NATIONAL_ID_REDACTED] CPF [NATIONAL_ID_REDACTED] SSN [SSN_REDACTED]", []string{"email"}},
		{"a country", "[EMAIL_REDACTED] [IP_REDACTED] PESEL 44051401359 CPF [NATIONAL_ID_REDACTED] SSN [SSN_REDACTED]", []string{"national_id.pl"}},
		{"all countries", "[EMAIL_REDACTED] [IP_REDACTED] PESEL 44051401359 CPF 529.982.247-25 SSN [SSN_REDACTED]", []string{"national_id"}},
		{"two", "[EMAIL_REDACTED] 10.0.0.1 PESEL [NATIONAL_ID_REDACTED] CPF [NATIONAL_ID_REDACTED] SSN 536-90-4399", []string{"ip", "ssn"}},
		{"unknown", "[EMAIL_REDACTED] [IP_REDACTED] PESEL [NATIONAL_ID_REDACTED] CPF [NATIONAL_ID_REDACTED] SSN [SSN_REDACTED]", []string{"emails"}},
		{"everything", in, Names()},
	} {
		if got := New(Options{Off: tt.off}).String(in); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// Every rule can be switched off by the name that is listed, and then leaves
// all positive cases that hang on it alone.
func TestRedactorOffHolds(t *testing.T) {
	for _, r := range rules {
		quiet := New(Options{Off: []string{r.name}})
		found := false
		for _, in := range readCases(t, "positive.txt") {
			in, _, _ := strings.Cut(in, "\t")
			found = found || quiet.String(in) != String(in)
		}
		if !found {
			t.Errorf("no case needs the rule %s", r.name)
		}
		if !slices.Contains(Names(), r.name) {
			t.Errorf("%s is not listed", r.name)
		}
	}
}

// docs/redaction.md names every rule, country and token.
func TestDocsNameTheRules(t *testing.T) {
	page, err := os.ReadFile("../docs/redaction.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		_, country, national := strings.Cut(name, ".")
		if national {
			name = country
		}
		if !strings.Contains(string(page), "\n| `"+name+"` | ") {
			t.Errorf("%s is not in the tables", name)
		}
	}
	for _, r := range rules {
		if !strings.Contains(string(page), "`"+r.token+"`") {
			t.Errorf("%s is not in the tables", r.token)
		}
	}
}

func TestRedactorExtra(t *testing.T) {
	badge := Rule{Name: "badge", Find: regexp.MustCompile(`\bB-\d{4}\b`).FindStringIndex}
	for _, tt := range []struct {
		name, in, want string
		extra          []Rule
	}{
		{"token of the name", "B-1234 and B-5678.", "[BADGE_REDACTED] and [BADGE_REDACTED].", []Rule{badge}},
		{"own token", "B-1234", "[STAFF]", []Rule{{"badge", "[STAFF]", badge.Find}}},
		{"no token", "B-1234", "[BADGE_REDACTED]", []Rule{{"badge", "a@b.cc", badge.Find}}},
		{"beside the standard rules", "B-1234 bob@example.com B-5678", "[BADGE_REDACTED] [EMAIL_REDACTED] [BADGE_REDACTED]", []Rule{badge}},
		{"goes first", "bob@example.com", "[PERSON_REDACTED]", []Rule{{"person", "", regexp.MustCompile(`bob@\S+`).FindStringIndex}}},
		{"sees no token", "bob@example.com", "[EMAIL_REDACTED]", []Rule{{"caps", "[CAPS]", regexp.MustCompile(`[A-Z]{3,}`).FindStringIndex}}},
		{"two rules", "B-1234 X", "[BADGE_REDACTED] [X_REDACTED]", []Rule{badge, {"x", "", regexp.MustCompile(`X`).FindStringIndex}}},
		{"nothing found", "bob", "bob", []Rule{badge}},
		{"no function", "B-1234", "B-1234", []Rule{{Name: "badge"}}},
		{"empty match", "abc", "abc", []Rule{{"e", "", regexp.MustCompile(`x*`).FindStringIndex}}},
		{"out of range", "abc", "abc", []Rule{{"e", "", func(string) []int { return []int{-1, 99} }}}},
		{"panic", "abc", "[E_REDACTED]", []Rule{{"e", "", func(string) []int { panic(errors.New("x")) }}}},
		{"eats all", "abc", "[E_REDACTED][E_REDACTED][E_REDACTED]", []Rule{{"e", "", regexp.MustCompile(`.`).FindStringIndex}}},
	} {
		r := New(Options{Extra: tt.extra})
		got := r.String(tt.in)
		if got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
		if again := r.String(got); again != got {
			t.Errorf("%s: not idempotent: %q", tt.name, again)
		}
	}
}

func TestRedactorAllocates(t *testing.T) {
	r := New(Options{Off: []string{"ip"}, Extra: []Rule{{Name: "none", Find: func(string) []int { return nil }}}})
	if got := testing.AllocsPerRun(100, func() { sink = r.String(clean) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

// Numbers of national ids from published documents, and each with another
// check digit: nine of ten must be wrong.
func TestChecksRefuse(t *testing.T) {
	for _, tt := range []struct{ name, label, in string }{
		{"de", "Steuer-ID ", "86095742719"},
		{"pl", "PESEL ", "44051401359"},
		{"nl", "BSN ", "111222333"},
		{"in", "Aadhaar ", "234123412346"},
		{"ca", "SIN ", "046454286"},
		{"no", "fnr ", "15108695088"},
		{"tr", "tckn ", "10000000146"},
		{"ro", "CNP ", "1630615123457"},
		{"hr", "OIB ", "33392005961"},
		{"uk", "NHS ", "9434765919"},
		{"ru", "инн ", "123456789047"},
		{"br", "cpf ", "52998224725"},
	} {
		last := len(tt.in) - 1
		hits := 0
		for c := byte('0'); c <= '9'; c++ {
			if s := tt.label + tt.in[:last] + string(c); String(s) != s {
				hits++
			}
		}
		if hits != 1 {
			t.Errorf("%s: %d of ten check digits pass", tt.name, hits)
		}
	}
}

func FuzzRedactor(f *testing.F) {
	r := New(Options{Off: []string{"phone"}, Extra: []Rule{
		{Name: "badge", Find: regexp.MustCompile(`B-\d{4}`).FindStringIndex},
		{Name: "hash", Find: regexp.MustCompile(`#\w+`).FindStringIndex},
	}})
	f.Add("B-1234 bob@example.com#x #y[BADGE_REDACTED]B-1234B-12345")
	f.Add("10.0.0.1#B-1234@example.com")
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<14 {
			return
		}
		out := r.String(in)
		if again := r.String(out); again != out {
			t.Fatalf("not idempotent: %q\nonce  %q\ntwice %q", in, out, again)
		}
	})
}

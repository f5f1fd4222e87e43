package redact

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readCases returns the lines of a file of testdata that are no headings, with
// \n for a line break. Guillemets are left out: they stand inside what looks like
// a key, so that nobody's scanner takes this repository for leaky.
func readCases(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	unmark := strings.NewReplacer(`\n`, "\n", "«", "", "»", "")
	var lines []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "# ") {
			lines = append(lines, unmark.Replace(strings.TrimSuffix(line, "\n")))
		}
	}
	if len(lines) < 300 {
		t.Fatalf("%s has %d cases, want at least 300", name, len(lines))
	}
	return lines
}

func TestStringFinds(t *testing.T) {
	for _, line := range readCases(t, "positive.txt") {
		in, want, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("no tab in %q", line)
		}
		if got := String(in); got != want {
			t.Errorf("String(%q)\n got %q\nwant %q", in, got, want)
		}
		if got := String(want); got != want {
			t.Errorf("not idempotent: String(%q)\n got %q", want, got)
		}
		if got, want := String("x: "+in+"\nend"), "x: "+want+"\nend"; got != want && !strings.HasPrefix(in, "x ---") {
			t.Errorf("in a text: got %q\nwant %q", got, want)
		}
	}
}

func TestStringSpares(t *testing.T) {
	for _, in := range readCases(t, "negative.txt") {
		for _, s := range []string{in, "x " + in + " y", `{"k":"` + in + `"}`, "(" + in + ")", in + "\n" + in} {
			if got := String(s); got != s {
				t.Errorf("String(%q)\n got %q", s, got)
			}
		}
	}
}

var address = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)

// spared holds the addresses that are no persons': git@host:path and JavaScript frames.
var spared = regexp.MustCompile(`^(git@|.*@[\w.-]+\.(js|mjs|cjs|jsx|ts|tsx|go)$|.*@\d+\.\d)`)

func FuzzString(f *testing.F) {
	for _, name := range []string{"positive.txt", "negative.txt"} {
		for _, line := range readCases(f, name) {
			in, _, _ := strings.Cut(line, "\t")
			f.Add(in)
		}
	}
	f.Add("+1 555 123 4567@x.com +1 555 123 4567+15551234567")
	f.Add("4111 1111 1111 1111-a@b.cc:password=x[EMAIL_REDACTED]y")
	f.Add(`"password":"\"token=eyJ-----BEGIN PRIVATE KEY`)
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<16 {
			return
		}
		out, passes := standard.fix(in)
		if passes > 5 {
			t.Fatalf("%d passes over %q", passes, in)
		}
		if again := String(out); again != out {
			t.Fatalf("not idempotent: %q\nonce  %q\ntwice %q", in, out, again)
		}
		for _, a := range address.FindAllString(out, -1) {
			if !spared.MatchString(a) {
				t.Fatalf("%q kept the address %q: %q", in, a, out)
			}
		}
		// What stands apart from the text is an identifier whatever the text is.
		for _, id := range identifiers {
			with := in + "\n" + id + "\n" + in
			if strings.ContainsAny(in, "-=:\"'") { // a block or a value may reach over it
				break
			}
			if got := String(with); !strings.Contains(got, "\n"+id+"\n") {
				t.Fatalf("%q beside %q became %q", id, in, got)
			}
		}
	})
}

var identifiers = []string{
	"550e8400-e29b-41d4-a716-446655440000", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "1.2.3-rc.1",
	"2024-01-15T10:30:00Z", "ORD-40012", "1700000000123", "52.520008,13.404954", "127.0.0.1:8787",
}

// TestStringTwice joins finds without a boundary: each positive case beside each
// other must still give the same text when it is redacted twice.
func TestStringTwice(t *testing.T) {
	lines := readCases(t, "positive.txt")
	for k, a := range lines {
		a, _, _ = strings.Cut(a, "\t")
		b, _, _ := strings.Cut(lines[(k*7+3)%len(lines)], "\t")
		for _, sep := range []string{"", " ", "-", ".", "@", ":", "=", "/", "+", "%", "\""} {
			once := String(a + sep + b)
			if twice := String(once); twice != once {
				t.Errorf("%q: once %q, twice %q", a+sep+b, once, twice)
			}
		}
	}
}

const clean = "no book with this id in the catalogue, see the shelf list"

var message = strings.Repeat("upstream said 404 for order ORD-40012 at 2024-01-15T10:30:00Z (request 550e8400-e29b-41d4-a716-446655440000), ", 4) +
	"please write to bob@example.com or call +1 555 123 4567"

func TestStringAllocates(t *testing.T) {
	for _, c := range []struct {
		name, in string
		max      float64
	}{
		{"clean", clean, 0},
		{"clean and long", strings.Repeat(clean, 10), 0},
		{"identifiers", message[:440], 0},
		{"two finds", message, 1},
	} {
		if got := testing.AllocsPerRun(100, func() { sink = String(c.in) }); got > c.max {
			t.Errorf("%s: %v allocations, at most %v", c.name, got, c.max)
		}
	}
}

var sink string

// Messages of 500 characters: prose, JSON, and message, which has two finds and 16
// identifiers.
var prose = "the upstream service did not answer in time, so the order could not be looked up and nothing was changed; " +
	"please try again in a few minutes, or ask the people who run the warehouse whether the connection to the catalogue is down. " +
	"This is the third attempt of the same request, and the two attempts before it ended in the same way: the connection was opened, " +
	"the question was sent, and no answer came before the deadline that the caller had set for the whole operation, which is why it ends here."

var jsonBody = `{"error":{"code":"ORDER_NOT_FOUND","message":"no order with this number","details":[{"order_id":"ORD-40012","customer_id":81723,` +
	`"created_at":"2024-01-15T10:30:00Z","total":{"amount":1299.95,"currency":"EUR"},"items":[{"sku":"BK-1002-A","quantity":2,"price":499.5},` +
	`{"sku":"BK-2231-C","quantity":1,"price":300.95}],"trace":"550e8400-e29b-41d4-a716-446655440000","retry_after":30,"version":"2.14.1",` +
	`"links":["https://api.example.com/v2/orders/40012","https://docs.example.com/errors#e404"],"status":404}]}}`

func BenchmarkString(b *testing.B) {
	for _, c := range []struct{ name, in string }{{"clean", clean}, {"prose", prose}, {"digits", message}, {"json", jsonBody}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.in)))
			for b.Loop() {
				sink = String(c.in)
			}
		})
	}
}

// BenchmarkStringHostile gives each rule the text that makes it look furthest.
// The speed must not fall with the length.
func BenchmarkStringHostile(b *testing.B) {
	for _, s := range []string{
		"a%40", "a@", "-----BEGIN PRIVATE KE", "eyJ.", "://a", "x@tcp(", "+1 1", "(1", `token:"\`, "bearer a", "sk-", "4111 ",
		"DE89 ", "10.0.0.1.", "10.0.0.1-", "a:a:", "::", "1 A ", "1 rue de ", "Calle a ", "Straße 1", "--password ", "<token>a", "A1", "SG.", "123-45-", "SSN 1234 5678 9012 ",
		"A", "EAA", "1//0a", "A3-A", "pat.a", "token%3A", "token%3D%22%22", "password%3D{", "password={", "PASSWORD=$", "token:a(", "?key=", "cookie:", "sessionid=", "curl -u a", "https://a-", "4111\u00a0", "4111.",
	} {
		for _, size := range []int{1 << 12, 1 << 18} {
			text := strings.Repeat(s, size/len(s))
			b.Run(strconv.Quote(s)+"/"+strconv.Itoa(size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					sink = String(text)
				}
			})
		}
	}
}

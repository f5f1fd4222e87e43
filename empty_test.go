package umpire

import (
	"strings"
	"testing"
)

// say is an answer of one text.
func say(text string) *Observation { return &Observation{Texts: []string{text}} }

// data is an answer of structured content alone.
func data(s string) *Observation { return &Observation{Structured: []byte(s)} }

func TestEmptyText(t *testing.T) {
	for _, tt := range []struct {
		rule, in, want string
	}{
		{"3.3 blank", "", "blank_text"},
		{"3.3 blank", " \n\t ", "blank_text"},
		{"3.3 blank", "\u00a0\u2003", "blank_text"},
		{"3.3 exactly", "null", "json_text:null"},
		{"3.3 exactly", " null\n", "json_text:null"},
		{"3.3 exactly", "[]", "json_text:empty_array"},
		{"3.3 exactly", "[ \n ]", "json_text:empty_array"},
		{"3.3 exactly", "{}", "json_text:empty_object"},
		{"3.3 exactly", "{ }", "json_text:empty_object"},
		{"3.3 exactly", `""`, "json_text:blank_string"},
		{"3.3 exactly", `" \n\u0020"`, "json_text:blank_string"},
		{"3.3 with prose", "[]\n\nNo issues match.", "json_text:empty_array"},
		{"3.3 with prose", "null\r\n\r\nNothing is stored yet.", "json_text:null"},
		{"3.3 with prose", "{}\n \t\n[Note: try a wider range]", "json_text:empty_object"},
		{"3.3 with prose", "\"\"\n\n3 hints follow", "json_text:blank_string"},
		{"3.3 with prose", "[]\n\n" + strings.Repeat("long prose ", 300), "json_text:empty_array"},
		{"3.2 prose without a blank line", "[]\nNo issues match.", ""},
		{"3.2 prose behind a word", "null and void", ""},
		{"3.2 prose behind a word", "nullable", ""},
		{"3.2 a second value", "[]\n\n[1,2]", ""},
		{"3.2 a second value", "{}\n\n{\"a\":1}\nand prose", ""},
		{"3.2 a second value", "[]\n\n42", ""},
		{"3.2 number", "0", ""},
		{"3.2 boolean", "false", ""},
		{"3.2 prose", "No matches found", ""},
		{"3.2 prose", "nothing", ""},
		{"3.2 prose", "\"quoted\" prose", ""},
		{"3.2 prose", "[] is what it says", ""},
		{"3.2 NUL is a character", "\x00", ""},
		{"3.2 no JSON", "[", ""},
		{"3.2 no JSON", `{"items":[]`, ""},
		{"3.2 no JSON", `{"items":[]} trailing`, ""},
		{"3.2 an element", "[null]", ""},
		{"3.2 an element", "[[]]", ""},
		{"3.4 at the cap", `{"items":[],"message":"` + strings.Repeat("x", textCap-25) + `"}`, "json_text:empty_list"},
		{"3.4 over the cap", `{"items":[],"message":"` + strings.Repeat("x", textCap) + `"}`, ""},
	} {
		if got := emptyRule(say(tt.in)); got != tt.want {
			t.Errorf("outcomes.md %s: %.60q is %q, want %q", tt.rule, tt.in, got, tt.want)
		}
	}
}

func TestEmptyObject(t *testing.T) {
	const list, none = "empty_list", "no_data"
	for _, tt := range []struct {
		why, in, want string
	}{
		// Evidence.
		{"an empty list", `{"items":[]}`, list},
		{"an empty object", `{"byName":{}}`, list},
		{"a null", `{"tools":null}`, none},
		{"a null and a sentence", `{"profile": null, "message": "nothing stored yet"}`, none},
		{"a zero count", `{"count":0}`, none},
		{"a zero count in camel case", `{"issueCount":0}`, none},
		{"a zero total", `{"tools":null,"total":0}`, none},
		{"zero hits", `{"numHits":0.0}`, none},
		{"zero matches", `{"matches":0}`, none},
		{"a list beats a null", `{"a":null,"b":[],"c":null}`, list},
		{"escapes in a name", `{"item\u0073":[],"to\u0074al":0}`, list},
		{"a long name that ends in count", `{"a_very_long_name_of_a_thing_that_ends_in_count":0}`, none},
		{"GitHub's search", `{"total_count":0,"incomplete_results":false,"items":[]}`, list},
		{"a flag and a note", `{"messages":[],"has_more":false,"note":"no match"}`, list},
		{"status and duration", `{"status":200,"results":[],"duration":0}`, list},
		{"success", `{"success":true,"data":null,"error":null}`, none},
		{"paging", `{"results":[],"page":1,"per_page":20,"next_cursor":"abc"}`, list},
		{"paging in an object", `{"nodes":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`, list},
		{"paging under meta", `{"data":[],"meta":{"page":1,"total":0},"links":{"next":null}}`, list},
		{"any boolean", `{"archived":true,"items":[]}`, list},
		{"an unknown count", `{"items":[],"total":-1}`, list},
		{"notes as a list are data", `{"notes":[]}`, list},
		{"pages as a list are data", `{"pages":null}`, none},
		{"messages are data", `{"messages":[]}`, list},
		{"the last of two", `{"items":[],"items":[]}`, list},

		// Against, or nothing for it.
		{"success alone", `{"success":true}`, ""},
		{"errors are no evidence", `{"ok":true,"errors":[]}`, ""},
		{"error is no evidence", `{"ok":true,"error":null}`, ""},
		{"status is no evidence", `{"status":null}`, ""},
		{"narration is no evidence", `{"message":null}`, ""},
		{"a cursor is no evidence", `{"next_cursor":null}`, ""},
		{"a boolean is no evidence", `{"found":false}`, ""},
		{"a count above zero", `{"items":[],"total":3}`, ""},
		{"a tiny count", `{"items":[],"total":1e-400}`, ""},
		{"a count behind paging", `{"items":[],"pagination":{"page":2,"total":3}}`, ""},
		{"a list under paging", `{"items":[],"pagination":[1]}`, ""},
		{"data under meta", `{"data":[],"meta":{"owner":"me"}}`, ""},
		{"a filled list", `{"items":[],"others":[1]}`, ""},
		{"a filled object", `{"items":[],"owner":{"id":1}}`, ""},
		{"filled errors", `{"items":[],"errors":["shard 2"]}`, ""},
		{"another text", `{"items":[],"name":"x"}`, ""},
		{"another number", `{"items":[],"temperature":0}`, ""},
		{"another blank text", `{"output":""}`, ""},
		{"an account is no count", `{"account":0}`, ""},
		{"a discount is no count", `{"discount":0}`, ""},
		{"a count as text", `{"total":"0"}`, ""},
		{"the envelope alone", `{"status":200,"message":"Success","duration":0}`, ""},

		// An envelope that says failure (3.2).
		{"an error", `{"items":[],"error":"boom"}`, ""},
		{"an error object", `{"data":null,"error":{"code":1}}`, ""},
		{"no success", `{"items":[],"success":false}`, ""},
		{"not ok", `{"items":[],"ok":false}`, ""},
		{"a bad status", `{"items":[],"status":"failed"}`, ""},
		{"a status from 400", `{"items":[],"status":404}`, ""},
		{"a code from 400", `{"data":null,"code":500}`, ""},
	} {
		want := map[bool]string{true: tt.want, false: "json_text:" + tt.want}
		if got := emptyRule(say(tt.in)); got != want[tt.want == ""] {
			t.Errorf("outcomes.md 3.3, %s: text %s is %q, want %q", tt.why, tt.in, got, want[tt.want == ""])
		}
		want[false] = "structured:" + tt.want
		for _, in := range []string{tt.in, `{"result":` + tt.in + `}`} {
			if got := emptyRule(data(in)); got != want[tt.want == ""] {
				t.Errorf("outcomes.md 3.3, %s: structured %s is %q, want %q", tt.why, in, got, want[tt.want == ""])
			}
		}
	}
}

func TestEmptyResultUnwrapped(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"result":[]}`, "empty_array"},
		{` { "result" : null } `, "null"},
		{`{"result":{}}`, "empty_object"},
		{`{"result":""}`, "blank_string"},
		{`{"result":" \n"}`, "blank_string"},
		{`{"result":"[]"}`, "empty_array"},
		{`{"result":"{\"items\": []}"}`, "empty_list"},
		{`{"result":"[]\n\nNothing found"}`, "empty_array"},
		{`{"result":{"result":[]}}`, "empty_list"},
		{`{"result":[],"ok":true}`, "empty_list"},
		{`{"result":null,"ok":true}`, "no_data"},
		{`{"result":"\u00a0\u2003"}`, "blank_string"},
		{`{"result":"[]` + strings.Repeat(" ", textCap-1) + `"}`, ""}, // over the cap of a text (3.4)
		{`{"result":"none"}`, ""},
		{`{"result":0}`, ""},
		{`{"result":false}`, ""},
		{`{"result":[0]}`, ""},
		{`{"result":"","other":1}`, ""},
		{`{"result":[]} x`, ""},
		{`{"results":""}`, ""},
	} {
		for prefix, o := range map[string]*Observation{"json_text:": say(tt.in), "structured:": data(tt.in)} {
			want := ""
			if tt.want != "" {
				want = prefix + tt.want
			}
			if got := emptyRule(o); got != want {
				t.Errorf("outcomes.md 3.3: %.80s is %q, want %q", tt.in, got, want)
			}
		}
	}
}

func TestEmptyWhatDecides(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   Observation
		want string
	}{
		{"3.3 no content", Observation{}, "no_content"},
		{"3.3 no content but another key", Observation{ExtraKeys: true}, ""},
		{"3.1 another block", Observation{Others: 1}, ""},
		{"3.1 another block beside a blank text", Observation{Others: 1, Texts: []string{""}}, ""},
		{"3.1 another block beside structured content", Observation{Others: 1, Structured: []byte(`{"items":[]}`)}, ""},
		{"3.1 structured content decides", Observation{Texts: []string{"No projects"}, Structured: []byte(`{"items":[]}`)}, "structured:empty_list"},
		{"3.1 structured content decides", Observation{Texts: []string{"[]"}, Structured: []byte(`{"n":1}`)}, ""},
		{"3.1 a list decides", Observation{Texts: []string{"none"}, Structured: []byte(` []`)}, "structured:empty_array"},
		{"3.1 bare braces beside content", Observation{Texts: []string{"done"}, Structured: []byte(` { } `)}, ""},
		{"3.1 bare braces beside empty content", Observation{Texts: []string{"[]"}, Structured: []byte(`{}`)}, "json_text:empty_array"},
		{"3.1 bare braces alone", Observation{Structured: []byte(`{}`)}, "structured:empty_object"},
		{"3.1 null beside content", Observation{Texts: []string{"done"}, Structured: []byte(`null`)}, ""},
		{"3.1 null alone", Observation{Structured: []byte(`null`)}, "structured:null"},
		{"3.3 every text", Observation{Texts: []string{" ", ""}}, "blank_text"},
		{"3.3 every text", Observation{Texts: []string{"", "[]", "{}"}}, "json_text:empty_array"},
		{"3.3 not every text", Observation{Texts: []string{"[]", "prose"}}, ""},
		{"3.3 not every text", Observation{Texts: []string{"", "x"}}, ""},
		{"structured content that is no JSON", Observation{Structured: []byte(`{"items":[]`)}, ""},
		{"structured content of no bytes", Observation{Structured: []byte{}}, ""},
		{"structured content over its cap", Observation{Structured: []byte(`{"items":[]` + strings.Repeat(" ", structuredCap) + `}`)}, ""},
		{"2.3 no result is no empty answer", Observation{NoResult: true}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := emptyRule(&tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEmptyEcho(t *testing.T) {
	many := strings.Repeat(`"a":1,`, echoLookups)
	for _, tt := range []struct {
		name, arguments, in, want string
	}{
		{"a text", `{"query":"zzz"}`, `{"query":"zzz","results":[]}`, "json_text:empty_list"},
		{"a number and a list", `{"n": 7, "ids": [1, 2]}`, `{"ids":[1,2],"n":7,"results":null}`, "json_text:no_data"},
		{"a count asked for", `{"count":10}`, `{"count":10,"results":[]}`, "json_text:empty_list"},
		{"other escapes", `{"q":"\u00e9\"\/"}`, `{"q":"é\"/","results":[]}`, "json_text:empty_list"},
		{"an echo is no evidence", `{"filter":null}`, `{"filter":null}`, ""},
		{"another value", `{"query":"zzz"}`, `{"query":"zz","results":[]}`, ""},
		{"a longer value", `{"query":"zz"}`, `{"query":"zzz","results":[]}`, ""},
		{"another type", `{"id":"5"}`, `{"id":5,"results":[]}`, ""},
		{"another name", `{"q":"zzz"}`, `{"query":"zzz","results":[]}`, ""},
		{"nested in the arguments", `{"a":{"query":"zzz"}}`, `{"query":"zzz","results":[]}`, ""},
		{"blanks within a text count", `{"q":"a b"}`, `{"q":"ab","results":[]}`, ""},
		{"arguments that are no object", `["query"]`, `{"query":"zzz","results":[]}`, ""},
		{"broken arguments", `{"query":"zzz`, `{"query":"zzz","results":[]}`, ""},
		{"no arguments", ``, `{"query":"zzz","results":[]}`, ""},
		{"arguments over the cap", `{"query":"zzz"` + strings.Repeat(" ", echoCap) + `}`, `{"query":"zzz","results":[]}`, ""},
		{"many echoes", `{"a":1}`, `{` + many + `"results":[]}`, "json_text:empty_list"},
		{"too many echoes", `{"a":1}`, `{` + many + `"a":1,"results":[]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := say(tt.in)
			o.Arguments = []byte(tt.arguments)
			if got := emptyRule(o); got != tt.want {
				t.Errorf("outcomes.md 3.3: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEmptyOwner(t *testing.T) {
	yes := func(string, []string, []byte) bool { return true }
	no := func(string, []string, []byte) bool { return false }
	for _, tt := range []struct {
		name  string
		in    string
		muted bool
		hook  func(string, []string, []byte) bool
		want  string
	}{
		{"the hook adds", "No matches found", false, yes, "user"},
		{"the hook says no", "No matches found", false, no, ""},
		{"the hook takes nothing away", "[]", false, no, "json_text:empty_array"},
		{"a panicking hook has no opinion", "x", false, func(string, []string, []byte) bool { panic("boom") }, ""},
		{"a hook that ends in a nil pointer", "x", false, func(string, []string, []byte) bool { var p *bool; return *p }, ""},
		{"muted", "[]", true, nil, ""},
		{"muted with a hook", "x", true, yes, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := say(tt.in)
			o.EmptyIsFine, o.IsEmpty = tt.muted, tt.hook
			if got := emptyRule(o); got != tt.want {
				t.Errorf("outcomes.md 3.5: got %q, want %q", got, tt.want)
			}
		})
	}
	o := &Observation{Tool: "find", Texts: []string{"a", "b"}, Structured: []byte(`{"n":1}`)}
	o.IsEmpty = func(tool string, texts []string, structured []byte) bool {
		return tool == "find" && len(texts) == 2 && string(structured) == `{"n":1}`
	}
	if got := emptyRule(o); got != ruleUser {
		t.Errorf("the hook did not see the answer: %q", got)
	}
}

// okAnswers are ordinary answers, none of which may cost an allocation.
var okAnswers = map[string]*Observation{
	"prose":           say("The deployment finished in 42 seconds."),
	"long prose":      say(strings.Repeat("The deployment finished. ", 10_000)),
	"long JSON":       say(`[` + strings.Repeat(`{"id":"i1","name":"x"},`, 2000) + `1]`),
	"small JSON":      say(`{"items":[{"id":"i1","name":"one","a_name_with_more_than_thirty_two_bytes":1e3}],"total":1,"next_cursor":null}`),
	"empty":           {Texts: []string{`{"query":"zzz","items":[],"total":0}`}, Arguments: []byte(`{"limit":5,"query":"zzz"}`)},
	"structured":      {Texts: []string{`{"id":1}`}, Structured: []byte(`{"accounts":[{"id":"a1","status":"open"}],"status":"ok","total":1,"quite_a_long_name_of_a_counter":401}`)},
	"text in JSON":    {Texts: []string{"i1"}, Structured: []byte(`{"result":"{\"items\":[{\"id\":\"i1\"}],\"note\":\"\\u00e9\"}"}`)},
	"array of text":   say(`[{"type":"text","text":"All 3 checks passed."}]`),
	"list of objects": say(`[{"id":1,"ok":true},{"id":2,"ok":true}]`),
}

func TestEmptyAllocatesNothing(t *testing.T) {
	for name, o := range okAnswers {
		if n := testing.AllocsPerRun(100, func() { emptyRule(o) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

func FuzzEmpty(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s, s, s)
	}
	f.Add(`{"q":"x","items":[]}`, `{"result":"[]\n\nnone"}`, `{"q":"x"}`)
	f.Add("[]\n\nnone", `{"pageInfo":{"total":0},"items":null}`, ``)
	f.Fuzz(func(t *testing.T, text, structured, arguments string) {
		for _, o := range []*Observation{
			{Texts: []string{text}, Arguments: []byte(arguments)},
			{Structured: []byte(structured), Arguments: []byte(arguments)},
			{Texts: []string{text, structured}, Structured: []byte(structured), Arguments: []byte(arguments)},
		} {
			rule := emptyRule(o)
			if again := emptyRule(o); again != rule {
				t.Fatalf("judged %q, then %q", rule, again)
			}
			if rule != "" && len(suspectMarks(o, true, false)) > 0 {
				t.Fatalf("an empty call (%s) carries marks of its content", rule)
			}
			if o.Structured == nil && rule == "" {
				// An empty answer stays empty in blanks, and a full one full.
				o.Texts = []string{" \n" + text}
				if got := emptyRule(o); got != "" {
					t.Fatalf("%q is empty (%s) behind blanks only", text, got)
				}
			}
			if strings.HasPrefix(rule, "structured:") && !scanned(structured) {
				t.Fatalf("%q is no JSON and yet %s", structured, rule)
			}
		}
	})
}

func BenchmarkEmpty(b *testing.B) { benchmarkAnswers(b, func(o *Observation) { emptyRule(o) }) }

func benchmarkAnswers(b *testing.B, judge func(*Observation)) {
	for name, o := range okAnswers {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				judge(o)
			}
		})
	}
}

package umpire

import (
	"slices"
	"strings"
	"testing"
)

// marked are the marks of an answer, judged as Judge does it.
func marked(o *Observation) string {
	return strings.Join(suspectMarks(o, emptyRule(o) != "", false), " ")
}

func TestSuspectsOfTheEnvelope(t *testing.T) {
	const structured, failed, only = markStructuredError, markEnvelopeError, markEnvelopeOnly
	for _, tt := range []struct{ in, want string }{
		{`{"error":"boom"}`, structured},
		{`{"success": false, "error": {"code": "NOT_FOUND", "message": "none"}}`, structured},
		{`{"ok": false, "error": "no messages matched"}`, structured},
		{`{"type":"error","error":"rate limit reached","recovery_suggestion":"later"}`, structured},
		{`{"data":[1],"error":["x"]}`, structured},
		{`{"data":[1],"Error":true}`, structured},
		{`{"data":[1],"\u0065rror":"x"}`, structured},
		{`{"data":[1],"error":null}`, ""},
		{`{"data":[1],"error":false}`, ""},
		{`{"data":[1],"error":""}`, ""},
		{`{"data":[1],"error":[ ]}`, ""},
		{`{"data":[1],"error":{ }}`, ""},
		{`{"data":[1],"error":"x","error":null}`, ""},
		{`{"data":{"error":"x"}}`, ""},
		{`{"` + strings.Repeat("_", keyRoom) + `error":"x"}`, ""},
		{`{"data":[1],"errors":["x"]}`, ""},
		{`{"code":"E_MCP_TOOL_ERROR","message":"boom"}`, structured},
		{`{"message":"boom","code":"err-17"}`, structured},
		{`{"code":"PaymentFailed","message":"x"}`, structured},
		{`{"code":"UserErr","message":"x"}`, structured},
		{`{"code":"TERRAFORM_OK","message":"x"}`, only},
		{`{"code":"NOT_FOUND","message":"x"}`, only},
		{`{"code":"E_ERROR","message":"x","data":1}`, ""},
		{`{"code":"E_ERROR"}`, only},

		{`{"status":"error","message":"paper not found"}`, failed},
		{`{"status":"ERROR","id":1}`, failed},
		{`{"status":"Failed"}`, failed},
		{`{"status":"failure","reason":"x"}`, failed},
		{`{"type":"error","text":"x"}`, failed},
		{`{"success":false}`, failed},
		{`{"ok":false,"items":[]}`, failed},
		{`{"success":true,"ok":false}`, failed},
		{`{"status":400,"items":[1]}`, failed},
		{`{"status":404.0}`, failed},
		{`{"status":4e2}`, failed},
		{`{"status":1e999,"id":1}`, failed},
		{`{"code":500,"message":"x"}`, failed},
		{`{"status":399,"id":1}`, ""},
		{`{"status":"404","id":1}`, ""},
		{`{"status":"erroneous","id":1}`, ""},
		{`{"status":"failed over","id":1}`, ""},
		{`{"status":"` + strings.Repeat("_", keyRoom) + `error","id":1}`, ""},
		{`{"status":"no error","id":1}`, ""},
		{`{"success":"false","id":1}`, ""},
		{`{"type":"errors","id":1}`, ""},
		{`{"job":{"status":"failed"}}`, ""},

		{`{"status":200,"message":"Success","duration":0}`, only},
		{`{"success":true}`, only},
		{`{"ok":true,"note":"done","duration_ms":3}`, only},
		{`{"message":"done"}`, only},
		{`{"code":0,"msg":"ok"}`, only},
		{`{"code":-32603,"message":"x"}`, only},
		{`{"success":true,"details":"two files"}`, only},
		{`{"success":true,"details":{"files":2}}`, ""},
		{`{"success":true,"message":{"id":1}}`, ""},
		{`{"ok":true,"errors":[]}`, ""},
		{`{"ok":true,"error":null}`, ""},
		{`{"success":true,"id":7}`, ""},
		{`{"success":true,"type":"light"}`, ""},
		{`{"status":200,"items":[]}`, ""}, // empty

		{`{"a":1`, ""},
		{`{"error":"boom"} and more`, ""},
		{`"fine"`, ""},
		{`404`, ""},
		{`true`, ""},
	} {
		structuredWant := tt.want
		if structuredWant == only {
			structuredWant = "" // no other mark may stand beside it
		}
		structuredWant = strings.TrimSpace(structuredWant + " " + markStructuredOnly)
		for _, wrapped := range []string{tt.in, `{"result": ` + tt.in + ` }`} {
			if !scanned(wrapped) && wrapped != tt.in {
				continue
			}
			if got := marked(say(wrapped)); got != tt.want {
				t.Errorf("outcomes.md 4: text %s has %q, want %q", wrapped, got, tt.want)
			}
			beside := data(wrapped)
			beside.Texts = []string{"see the data"}
			if got := marked(beside); got != tt.want {
				t.Errorf("outcomes.md 4: structured %s has %q, want %q", wrapped, got, tt.want)
			}
			if got := marked(data(wrapped)); got != structuredWant && scanned(wrapped) && emptyRule(data(wrapped)) == "" {
				t.Errorf("outcomes.md 4: structured %s alone has %q, want %q", wrapped, got, structuredWant)
			}
		}
	}
}

func TestSuspectsErrorText(t *testing.T) {
	sentence := func(n int) string { return strings.Repeat("ü", n-len(" not found")) + " not found" }
	for _, tt := range []struct {
		in   string
		want bool
	}{
		// The first words.
		{"Error", true},
		{"error: disk quota exceeded at 03:00", true},
		{"ERROR 42", true},
		{"  \n Error executing tool", true},
		{"Error.", true},
		{"Error-42", true},
		{"Failed to connect", true},
		{"exception in thread main", true},
		{"Traceback (most recent call last):\n  File", true},
		{"An error occurred while reading", true},
		{"missing required parameter: owner", true},
		{"Invalid argument: id", true},
		{"Invalid arguments for tool t", true},
		{"Invalid parameter 'x'", true},
		{"<error>directory not found: /nope</error>", true},
		{"<ERROR code=\"5\">x</ERROR>", true},
		{"Errors: 0", false},
		{"error_count 5", false},
		{"error.log\naccess.log", false},
		{"Error-free build", false},
		{"Failed-over to the second region", false},
		{"ErrorHandler is a class", false},
		{"Failedé", false},
		{"Failure is no option", false},
		{"Exceptional results", false},
		{"An error was fixed", false},
		{"Missing requirements: none", false},
		{"Invalid argumentation", false},
		{"<errors>0</errors>", false},
		{"No error", false},

		// Up to 40 characters and then error: on the first line.
		{"list_services error: 'NoneType' object", true},
		{"❌ Error: no access", true},
		{"**Error:** no access", true},
		{"ValueError: bad id", true},
		{"HTTPError: 500", true},
		{strings.Repeat("é", 39) + " error: x", true},
		{strings.Repeat("é", 40) + " error: x", false},
		{"a mirror: x", false},
		{"terror: x", false},
		{"last_error: none", false},
		{"Last_Error: none", false},
		{"status: ok\nerror: none", false},
		{"the errors: x", false},
		{"an error, namely: x", false},

		// One short sentence that ends in a miss.
		{"PR #1 not found", true},
		{"Not found", true},
		{"The file a.txt does not exist.", true},
		{"User NOT FOUND!\n", true},
		{sentence(160), true},
		{sentence(161), false},
		{"Searched the disk. File not found", false},
		{"Searched the disk\nFile not found", false},
		{"The knot found", false},
		{"a_not found", false},
		{"not found yet", false},
		{"Found 3 files", false},
		{"path must not be blank", false},

		{"fine", false},
		{"e", false},
		{"\x00\xff\xfe", false},
		{"The error: was in line 3", true},
	} {
		want := ""
		if tt.want {
			want = markErrorText
		}
		if got := marked(say(tt.in)); got != want {
			t.Errorf("outcomes.md 4: %q has %q, want %q", tt.in, got, want)
		}
		o := say(tt.in)
		o.Others = 1
		if got := marked(o); got != "" {
			t.Errorf("outcomes.md 4: %q beside an image has %q, want none", tt.in, got)
		}
	}
}

func TestSuspectsErrorTextInside(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"wrapped in a list", `[{"text":"Error executing x: AuthenticationException(401, 'Unauthorized')"}]`, markErrorText},
		{"wrapped as content", `[ {"type":"text", "text":"Failed to connect", "annotations":{}} ]`, markErrorText},
		{"escapes", `[{"text":"\n\u0045rror: x"}]`, markErrorText},
		{"a sentence", `[{"text":"PR #1 not found"}]`, markErrorText},
		{"long", `[{"text":"Error: ` + strings.Repeat("x", 2000) + `"}]`, markErrorText},
		{"fine", `[{"text":"fine"}]`, ""},
		{"two", `[{"text":"Error: x"},{"text":"y"}]`, ""},
		{"more than a text", `[{"text":"Error: x","id":1}]`, ""},
		{"no text", `[{"text":["Error: x"]}]`, ""},
		{"a list in prose", `[a] error: x`, markErrorText},
		{"a JSON string", `"Error: x"`, markErrorText},
		{"a result", `{"result":"Error: x"}`, markErrorText},
		{"a result with escapes", `{"result":"\u0046ailed\tto connect"}`, markErrorText},
		{"an empty list in a result beside more", `{"result":"","id":1}`, ""},
		{"a blank text in a list", `[{"text":" "}]`, ""},
		{"a result that is fine", `{"result":"fine"}`, ""},
		{"JSON in a result", `{"result":"{\"success\": false}"}`, markEnvelopeError},
		{"JSON in JSON in a result", `{"result":"\"{\\\"success\\\":false}\""}`, ""},
		{"a result in a result", `{"result":"{\"result\":\"{\\\"success\\\":false}\"}"}`, ""},
		{"a text of an object is data", `{"text":"Error: x"}`, ""},
		{"a list of texts is data", `["Error: x"]`, ""},
		{"long JSON", `{"message":"Error: ` + strings.Repeat("x", textCap) + `"}`, ""},
		{"long prose in brackets", `[main] Error: ` + strings.Repeat("x", textCap), markErrorText},
		{"long prose", `Error: ` + strings.Repeat("x", 1<<20), markErrorText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := marked(say(tt.in)); got != tt.want {
				t.Errorf("outcomes.md 4: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSuspectsAllFailed(t *testing.T) {
	const all = markAllFailed
	for _, tt := range []struct{ name, arguments, in, want string }{
		{"lists and counts", `{"ids":["t1","t2"]}`, `{"completed":[],"failures":[{"item":"t1","error":"HTTP 404"},{"item":"t2","error":"HTTP 404"}],"totalRequested":2,"successCount":0,"failureCount":2}`, all},
		{"counts", ``, `{"total":2,"failed":2}`, all},
		{"counts in another case", ``, `{"TotalRequested":3,"failed_count":3,"skipped":0}`, all},
		{"no success", ``, `{"succeeded":0,"failed":2}`, all},
		{"lists", ``, `{"updated":[],"failed":["a","b"]}`, all},
		{"a list of failures and a total", ``, `{"failures":["a"],"count":1}`, all},
		{"errors beside a success of zero", ``, `{"deleted":0,"errors":["a"],"processed":1}`, all},
		{"a summary", ``, `{"results":[{"id":1}],"summary":{"total":1,"failed":1,"succeeded":0}}`, all},
		{"a summary that is a list", ``, `{"failed":1,"summary":["a"],"total":1}`, all},
		{"totals of other kinds", ``, `{"total":"1","failed":1,"id":7}`, ""},
		{"another total beside it", ``, `{"total":2,"failed":2,"count":7}`, all},
		{"the second total", ``, `{"count":7,"total":2,"failed":2}`, all},
		{"some failed", ``, `{"total":3,"failed":2}`, ""},
		{"some were skipped", ``, `{"total":3,"failed":2,"succeeded":0,"skipped":1}`, ""},
		{"some succeeded", ``, `{"succeeded":["c"],"failed":["a","b"],"total":2}`, ""},
		{"none failed", ``, `{"total":2,"failed":0,"succeeded":2}`, ""},
		{"an empty batch", ``, `{"total":0,"failed":0,"succeeded":0}`, ""},
		{"failures alone", ``, `{"failures":["a"]}`, ""},
		{"findings of a linter", ``, `{"errors":3,"total":3,"files":["a.go"]}`, ""},
		{"a rate", ``, `{"failure_rate":1,"total":1}`, ""},

		{"items by error", ``, `[{"id":1,"error":"x"},{"id":2,"error":"y"}]`, all},
		{"items by success", ``, `{"results":[{"id":1,"success":false},{"id":2,"ok":false}]}`, all},
		{"items and a total", ``, `{"results":[{"error":"x"}],"total":1}`, all},
		{"items by status, as many as asked for", `{"ids":[1,2]}`, `{"results":[{"id":1,"status":"error"},{"id":2,"status":"failed"}]}`, all},
		{"items by status and a longer list", `{"ids":[1,2,3]}`, `[{"status":"error"},{"status":"error"}]`, ""},
		{"items by status and no arguments", `[1,2]`, `[{"status":"error"},{"status":"error"}]`, ""},
		{"items by status and long arguments", `{"a":"` + strings.Repeat("x", echoCap) + `","ids":[1]}`, `[{"status":"error"}]`, ""},
		{"failed jobs are data", `{"status":"failed"}`, `{"jobs":[{"id":1,"status":"failed"},{"id":2,"status":"failed"}]}`, ""},
		{"not all items", ``, `[{"id":1,"error":"x"},{"id":2}]`, ""},
		{"not all items are objects", ``, `[{"id":1,"error":"x"},2]`, ""},
		{"items and a larger total", ``, `{"results":[{"error":"x"}],"total":10}`, ""},
		{"items beside others", ``, `{"results":[{"error":"x"}],"done":[{"id":1}]}`, ""},
		{"items beside other items", ``, `{"results":[{"error":"x"}],"more_results":[{"id":1}]}`, ""},
		{"items beside names", `{"ids":["a"]}`, `{"ids":["a"],"results":[{"id":"a","error":"x"}]}`, all},
		{"a log of errors is data", ``, `{"logs":[{"at":1,"error":"x"},{"at":2,"error":"y"}]}`, ""},
		{"errors in a list of another name, as many as asked for", `{"paths":["a"]}`, `{"files":[{"path":"a","error":"x"}]}`, all},
		{"items without success in any list", ``, `{"files":[{"path":"a","success":false}]}`, all},
		{"error logs with an empty error", ``, `[{"error":""}]`, ""},
		{"an empty list", ``, `{"results":[],"id":1}`, ""},
		{"codes of linked pages are data", `{"urls":["a"]}`, `[{"url":"a","status":404}]`, ""},
		{"an error of its own", ``, `{"error":"nothing done","total":1,"failed":1}`, markStructuredError + " " + all},
		{"success false", ``, `{"success":false,"total":1,"failed":1}`, markEnvelopeError + " " + all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := say(tt.in)
			o.Arguments = []byte(tt.arguments)
			if got := marked(o); got != tt.want {
				t.Errorf("outcomes.md 4: text has %q, want %q", got, tt.want)
			}
			o.Structured = []byte(tt.in)
			if got := marked(o); got != tt.want {
				t.Errorf("outcomes.md 4: structured content has %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSuspectsOfSeveralTexts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"the first text gives the tone", []string{"Error: x", "more about it"}, markErrorText},
		{"the second does not", []string{"Line 1", "Error: x"}, ""},
		{"blank ones do not count", []string{"", " ", "PR #1 not found"}, markErrorText},
		{"two sentences", []string{"PR #1 not found", "PR #2 not found"}, ""},
		{"one payload", []string{"Here it is", `{"success":false}`}, markEnvelopeError},
		{"one payload", []string{`{"error":"x"}`, "see above"}, markStructuredError},
		{"an envelope beside prose", []string{`{"status":"ok"}`, "three files"}, ""},
		{"a batch", []string{`{"id":1,"error":"x"}`, `{"id":2,"success":false}`}, markAllFailed},
		{"a batch that went well in part", []string{`{"id":1,"error":"x"}`, `{"id":2}`}, ""},
		{"records", []string{`{"id":1}`, `{"id":2}`}, ""},
		{"a broken batch", []string{`{"id":1,"error":"x"}`, `{"id":2,"error":`}, ""},
		{"a batch behind a blank text", []string{" ", `{"error":"x"}`, `{"error":"y"}`}, markAllFailed},
		{"lists are no batch", []string{`["x"]`, `[{"error":"y"}]`}, ""},
		{"a long batch", []string{`{"error":"x"}`, `{"error":"` + strings.Repeat("x", textCap) + `"}`}, ""},
		{"no text", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := marked(&Observation{Texts: tt.texts}); got != tt.want {
				t.Errorf("outcomes.md 4: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSuspectsOfTheResult(t *testing.T) {
	text := []string{"fine"}
	for _, tt := range []struct {
		name   string
		in     Observation
		strong bool
		want   string
	}{
		{"nothing", Observation{Texts: text}, false, ""},
		{"args_mismatch", Observation{Texts: text}, true, markArgsMismatch},
		{"args_mismatch of an empty call", Observation{Texts: []string{"[]"}}, true, markArgsMismatch},
		{"listed", Observation{Tool: "a", Listed: []string{"b", "a"}, Texts: text}, false, ""},
		{"unlisted", Observation{Tool: "c", Listed: []string{"b", "a"}, Texts: text}, false, markUnlistedTool},
		{"no tool is listed", Observation{Tool: "c", Listed: []string{}, Texts: text}, false, markUnlistedTool},
		{"no list was seen", Observation{Tool: "c", Texts: text}, false, ""},
		{"unlisted and empty", Observation{Tool: "c", Listed: []string{"a"}}, false, markUnlistedTool},
		{"a bare object", Observation{ExtraKeys: true, ContentAbsent: true}, false, markMalformedResult},
		{"other keys beside an empty list", Observation{ExtraKeys: true}, false, ""},
		{"content beside other keys", Observation{ExtraKeys: true, Texts: text}, false, ""},
		{"structured content and no content", Observation{Structured: []byte(`{"n":1}`), ContentAbsent: true}, false, markMalformedResult},
		{"empty structured content and no content", Observation{Structured: []byte(`{"items":[]}`), ContentAbsent: true}, false, ""},
		{"malformed isError", Observation{MalformedIsError: true, Texts: text}, false, markMalformedIsError},
		{"malformed isError of an empty call", Observation{MalformedIsError: true}, false, markMalformedIsError},
		{"structured only", Observation{Structured: []byte(`{"accounts":[{"id":"a1"}],"total":1}`)}, false, markStructuredOnly},
		{"structured only, an error", Observation{Structured: []byte(`{"code":"E_TOOL_ERROR","message":"boom"}`)}, false, markStructuredError + " " + markStructuredOnly},
		{"structured only, large", Observation{Structured: []byte(`[1` + strings.Repeat(" ", structuredCap) + `]`)}, false, markStructuredOnly},
		{"structured and empty", Observation{Structured: []byte(`{"items":[]}`)}, false, ""},
		{"structured, empty and muted", Observation{Structured: []byte(`{"items":[]}`), EmptyIsFine: true}, false, ""},
		{"structured beside a text", Observation{Structured: []byte(`[{"name":"x"}]`), Texts: text}, false, ""},
		{"structured beside an image", Observation{Structured: []byte(`{"n":1}`), Others: 1}, false, ""},
		{"the text beside structured content is not asked", Observation{Structured: []byte(`{"n":1}`), Texts: []string{"Error: x"}}, false, ""},
		{"but beside bare braces it is", Observation{Structured: []byte(`{}`), Texts: []string{"Error: x"}}, false, markErrorText},
		{"an envelope beside an image", Observation{Texts: []string{`{"status":"ok"}`}, Others: 1}, false, ""},
		{"envelope_only stands alone", Observation{Texts: []string{`{"status":"ok"}`}}, true, markArgsMismatch},
		{
			"in order",
			Observation{Tool: "c", Listed: []string{"a"}, MalformedIsError: true, Texts: []string{`missing required parameter: owner`}},
			true,
			"error_text args_mismatch unlisted_tool malformed_is_error",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(suspectMarks(&tt.in, emptyRule(&tt.in) != "", tt.strong), " ")
			if got != tt.want {
				t.Errorf("outcomes.md 4: got %q, want %q", got, tt.want)
			}
		})
	}
	if got := suspectMarks(say("No matches found"), false, false); got != nil {
		t.Errorf("no mark is %#v, want nil", got)
	}
	if got := suspectMarks(say("User not found"), true, false); got != nil {
		t.Errorf("a call that its owner calls empty has %q", got)
	}
}

func TestSuspectsAllocateNothing(t *testing.T) {
	for name, o := range okAnswers {
		if n := testing.AllocsPerRun(100, func() { suspectMarks(o, false, false) }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

func FuzzSuspects(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s, s, s)
	}
	f.Add(`[{"text":"Error"}]`, `{"result":"{\"ok\":false}"}`, `{"ids":[1]}`)
	f.Add(`{"results":[{"status":"error"}],"summary":{"failed":1}}`, `{"code":"E_ERR","message":""}`, `{"ids":[1]}`)
	f.Add("not found.", `["a",{"error":1}]`, ``)
	content := []string{markStructuredError, markEnvelopeError, markEnvelopeOnly, markAllFailed, markErrorText, markStructuredOnly}
	f.Fuzz(func(t *testing.T, text, structured, arguments string) {
		for _, o := range []*Observation{
			{Texts: []string{text}, Arguments: []byte(arguments)},
			{Structured: []byte(structured), Arguments: []byte(arguments)},
			{Texts: []string{text, structured}, Arguments: []byte(arguments), Others: len(text) % 2},
		} {
			marks := suspectMarks(o, false, false)
			if again := suspectMarks(o, false, false); !slices.Equal(marks, again) {
				t.Fatalf("marked %q, then %q", marks, again)
			}
			has := func(mark string) bool { return slices.Contains(marks, mark) }
			for _, mark := range marks {
				if !slices.Contains(content, mark) {
					t.Fatalf("%q has the mark %s", text, mark)
				}
			}
			if has(markStructuredError) && has(markEnvelopeError) || has(markEnvelopeOnly) && len(marks) > 1 {
				t.Fatalf("%q: marks %q exclude each other", text, marks)
			}
			if o.Structured != nil && !scanned(structured) && len(marks) > 1 { // structured_only is no mark of what it says
				t.Fatalf("%q is no JSON and yet %q", structured, marks)
			}
		}
	})
}

func BenchmarkSuspects(b *testing.B) {
	benchmarkAnswers(b, func(o *Observation) { suspectMarks(o, false, false) })
}

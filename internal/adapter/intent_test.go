package adapter

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/umpire-mcp/umpire"
)

const argument = `"intent":{"description":"` + IntentAbout + `","type":"string"}`

func TestAskIntent(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"no properties", `{"type":"object"}`, `{"type":"object","properties":{` + argument + `}}`},
		{"empty properties", `{"properties":{},"type":"object"}`, `{"properties":{` + argument + `},"type":"object"}`},
		{
			"some properties, all else to the byte", `{ "type":"object", "properties":{"n":{"type":"integer","maximum":1e3} } , "required":["n"],"additionalProperties":false}`,
			`{ "type":"object", "properties":{"n":{"type":"integer","maximum":1e3},` + argument + ` } , "required":["n"],"additionalProperties":false}`,
		},
		{"words about it", `{"$schema":"s","$id":"i","title":"t","description":"d","x-ui":1,"$defs":{"a":{}},"type":"object"}`, `{"$schema":"s","$id":"i","title":"t","description":"d","x-ui":1,"$defs":{"a":{}},"type":"object","properties":{` + argument + `}}`},
		{"intent deeper down", `{"type":"object","properties":{"a":{"properties":{"intent":{}},"anyOf":[]}}}`, `{"type":"object","properties":{"a":{"properties":{"intent":{}},"anyOf":[]},` + argument + `}}`},

		{"one of its own", `{"type":"object","properties":{"intent":{"type":"string"}}}`, ""},
		{"one of its own, escaped", `{"type":"object","properties":{"\u0069ntent":true}}`, ""},
		{"one of its own in another case", `{"type":"object","properties":{"Intent":{}}}`, ""},
		{"required, and not described", `{"type":"object","required":["intent"]}`, ""},
		{"others are allowed", `{"type":"object","additionalProperties":true}`, ""},
		{"others are described", `{"type":"object","additionalProperties":{"type":"string"}}`, ""},
		{"others by an empty schema", `{"type":"object","additionalProperties":{}}`, ""},
		{"patternProperties", `{"type":"object","patternProperties":{"^i":{}}}`, ""},
		{"propertyNames", `{"type":"object","propertyNames":{"maxLength":3}}`, ""},
		{"anyOf", `{"type":"object","anyOf":[{"required":["a"]}]}`, ""},
		{"oneOf", `{"type":"object","oneOf":[{}]}`, ""},
		{"allOf", `{"type":"object","allOf":[{}]}`, ""},
		{"not", `{"type":"object","not":{}}`, ""},
		{"if", `{"type":"object","if":{},"then":{},"else":{}}`, ""},
		{"$ref", `{"type":"object","$ref":"#/$defs/a"}`, ""},
		{"$dynamicRef", `{"type":"object","$dynamicRef":"#a"}`, ""},
		{"dependentRequired", `{"type":"object","dependentRequired":{"a":["b"]}}`, ""},
		{"dependentSchemas", `{"type":"object","dependentSchemas":{}}`, ""},
		{"dependencies", `{"type":"object","dependencies":{}}`, ""},
		{"unevaluatedProperties", `{"type":"object","unevaluatedProperties":false}`, ""},
		{"maxProperties", `{"type":"object","maxProperties":3}`, ""},
		{"minProperties", `{"type":"object","minProperties":1}`, ""},
		{"const", `{"type":"object","const":{}}`, ""},
		{"enum", `{"type":"object","enum":[{}]}`, ""},
		{"a keyword of the future", `{"type":"object","propertyCount":1}`, ""},
		{"a keyword twice", `{"type":"object","properties":{},"properties":{"intent":{}}}`, ""},
		{"properties is no object", `{"type":"object","properties":[]}`, ""},
		{"required is no list", `{"type":"object","required":true}`, ""},
		{"any type", `{}`, ""},
		{"no object", `{"type":"string"}`, ""},
		{"perhaps an object", `{"type":["object","null"]}`, ""},
		{"true", `true`, ""},
		{"null", `null`, ""},
		{"no JSON", `{"type":"object"`, ""},
		{"nothing", ``, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := AskIntent([]byte(tt.in))
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("%s (%v), want %s", got, ok, tt.want)
			}
			if ok && !json.Valid(got) {
				t.Error("no JSON")
			}
		})
	}
}

// FuzzAskIntent: what comes out is the schema with one property more, which is found
// again, and without it the schema to the byte.
func FuzzAskIntent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object"}`, ` { "type" : "object" , "properties" : { } } `, `{"properties":{"a":{"enum":["}",{"intent":1}]}},"type":"object"}`,
		`{"type":"object","properties":{"intent":{}}}`, `{"\u0074ype":"object","x-a":[]}`, `{"type":"object","properties":{"a":1,"a":2}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := string(in)
		out, ok := AskIntent(in)
		if string(in) != before {
			t.Fatal("the schema was changed")
		}
		if !ok {
			return
		}
		var was, is struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(in, &was) != nil || json.Unmarshal(out, &is) != nil || is.Type != "object" {
			t.Fatalf("%q became %q", in, out)
		}
		if _, had := was.Properties["intent"]; had || len(is.Properties) != len(was.Properties)+1 || !strings.Contains(string(is.Properties["intent"]), IntentAbout) {
			t.Fatalf("%q became %q", in, out)
		}
		for _, added := range []string{`,"properties":{` + argument + `}`, `,` + argument, argument} {
			if strings.Replace(string(out), added, "", 1) == before {
				return
			}
		}
		t.Fatalf("%q became %q", in, out)
	})
}

func TestTakeIntent(t *testing.T) {
	for _, tt := range []struct{ name, in, rest, intent string }{
		{"a text", `{"n":1,"intent":" to \u00fcber\n"}`, `{"n":1}`, "to über"},
		{"blank", `{"intent":"  "}`, `{}`, ""},
		{"a number", `{"intent":5,"n":1}`, `{"n":1}`, ""},
		{"null", `{"intent":null}`, `{}`, ""},
		{"an object", `{"intent":{"goal":"x"}}`, `{}`, ""},
		{"half of a character", `{"intent":"\ud83d!"}`, `{}`, "\ufffd!"},
		{"not there", `{"n":1}`, `{"n":1}`, ""},
		{"no object", `[1]`, `[1]`, ""},
	} {
		rest, intent, ok := TakeIntent([]byte(tt.in))
		if string(rest) != tt.rest || intent != tt.intent || ok != (tt.in != tt.rest) {
			t.Errorf("%s: %s and %q (%v), want %s and %q", tt.name, rest, intent, ok, tt.rest, tt.intent)
		}
	}
}

// TestLongIntent: what is kept is bounded, splits no character, and ends where a
// word does, so that redaction sees nothing in half.
func TestLongIntent(t *testing.T) {
	for name, in := range map[string]string{"words": strings.Repeat("naïve ", 1e5), "one word": "x" + strings.Repeat("ï", 1e5)} {
		_, intent, ok := TakeIntent([]byte(`{"intent":"` + in + `"}`))
		if !ok || len(intent) > maxIntent || len(intent) < maxIntent-10 || !utf8.ValidString(intent) {
			t.Errorf("%s: %d bytes", name, len(intent))
		}
		if name == "words" && !strings.HasSuffix(intent, "naïve") {
			t.Errorf("%s: it ends %q", name, intent[len(intent)-10:])
		}
	}
}

func TestWhoIsAsked(t *testing.T) {
	on := umpire.Capture{Intent: true}
	for _, tt := range []struct {
		name          string
		with          umpire.Options
		told, asked   bool // any tool
		toldX, askedX bool // the tool x
	}{
		{"nothing is on", umpire.Options{}, false, false, false, false},
		{"told by clients", umpire.Options{Capture: on}, true, false, true, false},
		{"asked", umpire.Options{AskIntent: true}, true, true, true, true},
		{"asked, but no text leaves", umpire.Options{AskIntent: true, Capture: umpire.Capture{NamesAndCodes: true}}, false, false, false, false},
		{"asked, but it is no field that leaves", umpire.Options{AskIntent: true, Capture: umpire.Capture{Fields: []string{"tool"}}}, false, false, false, false},
		{"asked, and it is one", umpire.Options{AskIntent: true, Capture: umpire.Capture{Fields: []string{"intent"}}}, true, true, true, true},
		{"x is out", umpire.Options{AskIntent: true, CaptureTool: map[string]umpire.Capture{"x": {Off: true, Intent: true}}}, true, true, false, false},
		{"x has its own, without", umpire.Options{AskIntent: true, CaptureTool: map[string]umpire.Capture{"x": {Input: true}}}, true, true, false, false},
		{"x alone", umpire.Options{CaptureTool: map[string]umpire.Capture{"x": on}}, false, false, true, false},
		{"all are out but x", umpire.Options{AskIntent: true, Capture: umpire.Capture{Off: true}, CaptureTool: map[string]umpire.Capture{"x": on}}, false, false, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.with.Observer, tt.with.SpoolDir = func(umpire.Event) {}, "-"
			client := umpire.New(tt.with)
			defer client.Close(t.Context())
			in := NewIntents(client.Options())
			if in.Of("any") != tt.told || in.Asks("any") != tt.asked || in.Of("x") != tt.toldX || in.Asks("x") != tt.askedX {
				t.Errorf("any: told %v, asked %v; x: told %v, asked %v", in.Of("any"), in.Asks("any"), in.Of("x"), in.Asks("x"))
			}
			told := in.FromMeta("x", map[string]any{"intent": "b", "umpire/intent": "a"})
			if want := map[bool]string{true: "a"}[tt.toldX]; told != want {
				t.Errorf("told %q, want %q", told, want)
			}
		})
	}
}

func TestToldByMeta(t *testing.T) {
	in := NewIntents(umpire.Options{Capture: umpire.Capture{Intent: true}})
	for _, tt := range []struct {
		meta map[string]any
		want string
	}{
		{nil, ""},
		{map[string]any{"umpire/intent": " a "}, "a"},
		{map[string]any{"intent": "b"}, "b"},
		{map[string]any{"umpire/intent": 5, "intent": "b"}, "b"},
		{map[string]any{"umpire/intent": " ", "intent": "b"}, "b"},
		{map[string]any{"intent": map[string]any{"goal": "x"}}, ""},
		{map[string]any{"openai/session": "v1/x", "Intent": "c"}, ""},
	} {
		if got := in.FromMeta("t", tt.meta); got != tt.want {
			t.Errorf("%v tells %q, want %q", tt.meta, got, tt.want)
		}
	}
}

// TestReported: the event is what the root package knows it by, so that its text
// leaves although intents do not.
func TestReported(t *testing.T) {
	var mu sync.Mutex
	var got []umpire.Event
	client := umpire.New(umpire.Options{SpoolDir: "-", Observer: func(e umpire.Event) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, e)
	}})
	e := umpire.Event{Arguments: []byte(`{"needed":"mail max@example.com"}`), Call: umpire.Call{Tool: MissingTool}}
	Reported(&e)
	client.Record(e)
	if err := client.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Kind != "custom" || got[0].Tool != "" || got[0].InputKeys != nil || got[0].Intent != "mail [EMAIL_REDACTED]" || got[0].Meta["umpire.event"] != MissingEvent {
		t.Errorf("heard %+v", got)
	}
	if !json.Valid([]byte(MissingSchema)) {
		t.Error("the schema is no JSON")
	}
}

// TestCallIDOfWhatCame: a proxy in front sees the argument that is taken out here.
func TestCallIDOfWhatCame(t *testing.T) {
	came := umpire.Event{Arguments: []byte(`{"n":1,"intent":"x"}`), Call: umpire.Call{Tool: "t"}}
	outside, inside := NewCallIDs("run"), NewCallIDs("run")
	for _, e := range []umpire.Event{came, {Arguments: []byte(`{"n":1}`), Call: umpire.Call{Tool: "t"}}, came} {
		want := outside.Next(&e, false)
		rest, intent, ok := TakeIntent(e.Arguments)
		told := Told{Intent: intent}
		if ok {
			told.Came = e.Arguments
		}
		e.Arguments = rest
		if got := told.CallID(inside, &e); got != want || string(e.Arguments) != `{"n":1}` {
			t.Errorf("id %s, want %s; arguments %s", got, want, e.Arguments)
		}
	}
}

package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

var update = flag.Bool("update", false, "write openapi.json again")

const spec = "../../../spec/"

// bundle is spec/openapi.yaml as JSON, with the event's schema in its place.
func bundle(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(spec + "openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(spec + "event.schema.json"); err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`"#/$defs/`), []byte(`"#/components/schemas/Event/$defs/`))
	var event map[string]any
	if err := json.Unmarshal(text, &event); err != nil {
		t.Fatal(err)
	}
	delete(event, "$schema")
	delete(event, "$id") // its references are the document's now
	doc["components"].(map[string]any)["schemas"].(map[string]any)["Event"] = event
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(doc); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDescriptionIsCurrent: what is served is what is written.
func TestDescriptionIsCurrent(t *testing.T) {
	want := bundle(t)
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	served, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, served) {
		t.Error("openapi.json is not spec/openapi.yaml: run go test ./internal/api -update")
	}
}

// described is the description, ready to check answers by.
type described struct {
	doc map[string]any
}

func describe(t *testing.T) described {
	t.Helper()
	var d described
	if err := json.Unmarshal(bundle(t), &d.doc); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d described) paths() map[string]any { return d.doc["paths"].(map[string]any) }

// schema is what an operation answers with a status: that of the status, or the default.
func (d described) schema(t *testing.T, path, method, status string) *jsonschema.Resolved {
	t.Helper()
	op := d.paths()[path].(map[string]any)[method].(map[string]any)
	responses := op["responses"].(map[string]any)
	response, ok := responses[status].(map[string]any)
	if !ok {
		response = responses["default"].(map[string]any)
	}
	if ref, ok := response["$ref"].(string); ok {
		response = d.doc["components"].(map[string]any)["responses"].(map[string]any)[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	schema := response["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
	root := maps.Clone(schema)
	root["$defs"] = d.doc["components"].(map[string]any)["schemas"]
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// check asks and holds the answer to the description. It returns the answer.
func (d described) check(t *testing.T, h http.Handler, path, target string, status int) map[string]any {
	t.Helper()
	w := get(h, target)
	if w.Code != status {
		t.Fatalf("%s: %d %s, want %d", target, w.Code, w.Body, status)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: Content-Type %q", target, got)
	}
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	if err := d.schema(t, path, "get", strconv.Itoa(status)).Validate(answer); err != nil {
		t.Errorf("%s: the answer is not as described: %v\n%s", target, err, w.Body)
	}
	return answer
}

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

// TestEveryRouteIsDescribed: what is described is answered, and what is answered
// is described.
func TestEveryRouteIsDescribed(t *testing.T) {
	d, h := describe(t), serve(t)
	var have []string
	for path, item := range d.paths() {
		for method := range item.(map[string]any) {
			have = append(have, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(have)
	want := append(api.Routes(), "POST /api/v1/events") // the door is another package's
	slices.Sort(want)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("routes (-served +described):\n%s", diff)
	}
	for path, item := range d.paths() {
		target := strings.ReplaceAll(strings.NewReplacer("{tool}", "find", "{table}", "events").Replace(path), "calls/{id}", "calls/"+knownCall)
		target = strings.ReplaceAll(target, "sessions/{id}", "sessions/s1")
		if path == "/api/v1/live" || path == "/api/v1/query" {
			continue // never ends: TestLive; is not allowed here: TestQuery
		}
		if _, reads := item.(map[string]any)["get"]; reads && get(h, target).Code != http.StatusOK {
			t.Errorf("GET %s: %d", target, get(h, target).Code)
		}
	}
}

// TestEveryParameterIsDescribed: the questions take the parameters that Parse takes.
func TestEveryParameterIsDescribed(t *testing.T) {
	d := describe(t)
	names := query.Names()
	slices.Sort(names)
	beside := []string{"id", query.ParamLimit, query.ParamCursor, query.ParamFailed, query.ParamLoops} // what some take beside
	for _, path := range d.questions() {
		var have []string
		for _, p := range d.paths()[path].(map[string]any)["get"].(map[string]any)["parameters"].([]any) {
			p := p.(map[string]any)
			if ref, ok := p["$ref"].(string); ok {
				name := ref[strings.LastIndex(ref, "/")+1:]
				p = d.doc["components"].(map[string]any)["parameters"].(map[string]any)[name].(map[string]any)
			}
			have = append(have, p["name"].(string)) // {tool} of the path stands in for the filter
		}
		if strings.Contains(path, "/sessions/") {
			have = append(have, "session") // its id stands in for the filter
		}
		have = slices.DeleteFunc(have, func(name string) bool { return slices.Contains(beside, name) })
		slices.Sort(have)
		if diff := cmp.Diff(names, have); diff != "" {
			t.Errorf("%s (-taken +described):\n%s", path, diff)
		}
	}
}

// questions are the paths that are asked with filters.
func (d described) questions() (paths []string) {
	for path, item := range d.paths() {
		get, reads := item.(map[string]any)["get"].(map[string]any)
		if !reads {
			continue
		}
		list, _ := get["parameters"].([]any)
		if slices.Contains(get["tags"].([]any), any("live")) {
			continue // a stream
		}
		if slices.ContainsFunc(list, func(p any) bool { return p.(map[string]any)["$ref"] == "#/components/parameters/last" }) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func TestDescriptionIsServed(t *testing.T) {
	w := get(serve(t), "/api/v1/openapi.json")
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(w.Result().Body)
	if w.Code != http.StatusOK || !bytes.Equal(got, want) {
		t.Errorf("%d, %d bytes; want the %d of openapi.json", w.Code, len(got), len(want))
	}
}

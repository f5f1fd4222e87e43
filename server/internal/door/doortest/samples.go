package doortest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// Sample is one request that a vendor's SDK really sent.
type Sample struct {
	File    string
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// Bytes are the body as it was sent: a text that was recorded as a JSON string
// stands for itself.
func (s *Sample) Bytes() []byte {
	var text string
	if json.Unmarshal(s.Body, &text) == nil {
		return []byte(text)
	}
	return s.Body
}

// Samples reads the requests of a folder of spec/corpus/doors, in the order in
// which they were sent.
func Samples(t testing.TB, folder string) []Sample {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "spec", "corpus", "doors", filepath.FromSlash(folder), "*_POST_*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples in %q: %v", folder, err)
	}
	sort.Strings(paths)
	var out []Sample
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := Sample{File: filepath.Base(path)}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, s)
	}
	return out
}

// Path is the path of a sample's URL, without the query.
func (s *Sample) Path() string {
	path, _, _ := strings.Cut(s.URL, "?")
	return path
}

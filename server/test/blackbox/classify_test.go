package blackbox

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verdictKeys are the keys of a verdict, in the order in which they are printed.
const verdictKeys = "id kind outcome empty empty_rule cause error_type error_status bad_params suspects fingerprint why"

// TestClassify: the public cases come out as wanted, and a bad line costs nobody
// else his verdict.
func TestClassify(t *testing.T) {
	t.Parallel()
	const corpus = "../../../spec/corpus/calls.jsonl"
	file, err := os.ReadFile(corpus)
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimSpace(string(file)), "\n")
	lines := strings.Split(strings.TrimSpace(must(t, "classify", corpus)), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d verdicts on %d cases", len(lines), len(cases))
	}
	for i, line := range lines {
		var want struct {
			ID   string
			Want struct{ Kind, Outcome string }
		}
		var got struct{ ID, Kind, Outcome, Why string }
		if json.Unmarshal([]byte(cases[i]), &want) != nil || json.Unmarshal([]byte(line), &got) != nil {
			t.Fatalf("%s\n%s", cases[i], line)
		}
		if got.ID != want.ID || got.Kind != want.Want.Kind || got.Outcome != want.Want.Outcome || got.Why == "" {
			t.Errorf("got %s, want %+v", line, want)
		}
		if keys := keysOf(t, line); keys != verdictKeys {
			t.Errorf("keys %s, want %s", keys, verdictKeys)
		}
	}

	mixed := filepath.Join(t.TempDir(), "mixed.jsonl")
	if err := os.WriteFile(mixed, []byte("good morning\n"+cases[0]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, fail, code := run(t, nil, "classify", mixed)
	if code != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(fail, "umpire: line 1: ") || !strings.Contains(fail, "hint: ") {
		t.Errorf("exit code %d\n%s%s", code, out, fail)
	}
	if _, fail, code := run(t, nil, "classify", mixed+".none"); code != 2 || !strings.Contains(fail, "hint: ") {
		t.Errorf("a file that is not there: exit code %d\n%s", code, fail)
	}
	if out := must(t, "classify", "--help"); !strings.Contains(out, "suspects") {
		t.Errorf("%s", out)
	}
}

// keysOf lists the keys of a JSON object in their order.
func keysOf(t *testing.T, line string) string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader([]byte(line)))
	var keys []string
	for depth, key := 0, true; ; {
		token, err := dec.Token()
		if err != nil {
			return strings.Join(keys, " ")
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
			key = true
			continue
		case string:
			if depth == 1 && key {
				keys = append(keys, v)
				key = false
				continue
			}
		}
		key = true
	}
}

package umpire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestSignatures: each row of the table is what a fixture of the corpus is
// recognized by, so that a text that an SDK never wrote, or a row that another one
// hides, fails here. How the fixtures are judged is a test in spec/.
func TestSignatures(t *testing.T) {
	corpus, err := os.ReadFile("spec/corpus/signatures.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, len(signatures))
	for lines := bufio.NewScanner(bytes.NewReader(corpus)); lines.Scan(); {
		var x struct {
			Tool  string
			Reply struct {
				Result struct{ Content []struct{ Text string } }
				Error  struct{ Message string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		text := x.Reply.Error.Message
		if len(x.Reply.Result.Content) > 0 {
			text = x.Reply.Result.Content[0].Text
		}
		if row := signatureOf(withoutEnvelope(text), x.Tool); row >= 0 {
			seen[row] = true
		}
	}
	for i, s := range signatures {
		if !seen[i] {
			t.Errorf("no fixture is recognized by %q (%s)", s.prefix, s.sdk)
		}
	}
}

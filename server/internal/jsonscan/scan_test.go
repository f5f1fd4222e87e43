package jsonscan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire/server/internal/jsonscan"
)

// TestScanAgreesWithEncodingJSON: what is JSON here is JSON there.
func TestScanAgreesWithEncodingJSON(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"{", "}", "[", "]", ",", ":", `"a"`, `"\n"`, `"\u00e9"`, `"\x"`, `"\u12"`, `"`, "1", "-1", "01", "1.", "1.5e3", "1e", "-", "true",
		"false", "null", "nul", "NaN", " ", "\n", "\t", "\x00", "é", `{"a":1}`, `[1,2]`, `{"a":[{}]}`, `[]`, `{}`, `{"a":`, "\"a\x01\"",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 12).Draw(t, "pieces"), "")
		s := jsonscan.Scan{Text: []byte(text)}
		_, err := s.Skip()
		s.Peek()
		got := err == nil && s.At == len(s.Text)
		if want := json.Valid([]byte(text)); got != want {
			t.Fatalf("%q: valid %v, encoding/json says %v (%v)", text, got, want, err)
		}
	})
}

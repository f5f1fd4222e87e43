package door

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEraseAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set-aside.jsonl")
	if n, err := EraseAside(path, "u1"); n != 0 || err != nil {
		t.Errorf("without a file: %d, %v", n, err)
	}
	content := `{"body":"{\"user\":\"u1\"}"}` + "\n" + `{"body":"of u2"}` + "\nno JSON u1\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := EraseAside(path, "u1")
	left, _ := os.ReadFile(path)
	if n != 1 || err != nil || strings.Count(string(left), "\n") != 2 {
		t.Errorf("%d, %v, left is %q", n, err, left)
	}
}

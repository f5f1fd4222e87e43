//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package umpire

import (
	"os"
	"path/filepath"
	"testing"
)

// TestStillThere has a file that another process sends and removes between our
// opening and our locking of it.
func TestStillThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := stillThere(f, path); err != nil {
		t.Errorf("untouched: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := stillThere(f, path); err == nil {
		t.Error("the file is gone and nobody noticed")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := stillThere(f, path); err == nil {
		t.Error("the file is another one and nobody noticed")
	}
}

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

// TestDirectoryOfAnotherUser: what is there is not ours to read, nor to write.
func TestDirectoryOfAnotherUser(t *testing.T) {
	dir := t.TempDir()
	if err := ownDir(dir); err != nil {
		t.Errorf("our own: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(link); err == nil {
		t.Error("a link is taken for a directory")
	}
	if os.Geteuid() != 0 {
		dir = "/" // root's
	} else if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if err := ownDir(dir); err == nil {
		t.Error("another user's directory was accepted")
	}
	if _, err := openJournal(dir, testKey, journalMost); err == nil {
		t.Error("a journal was made there")
	}
}

package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// state is how far the import of a file came, by the file's content: a file that
// grew since begins anew, and what is there already counts once.
type state struct {
	path string
	// File is where it was; SHA256 is of its content as it lies on disk.
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Shape  Shape  `json:"shape"`
	// Offset is where the next batch begins, behind any compression.
	Offset int64 `json:"offset"`
	Line   int   `json:"line"`
	// Sent and Bad count the lines before that.
	Sent int `json:"sent"`
	Bad  int `json:"bad"`
}

// contentOf is the SHA-256 of a file.
func contentOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cannot open %q: %w", path, err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("cannot read %q: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// stateOf finds how far an import of the content into the target came. dir is where
// such notes lie.
func stateOf(dir, target, file, content string, shape Shape) state {
	sum := sha256.Sum256([]byte(target + "\x00" + content))
	fresh := state{path: filepath.Join(dir, hex.EncodeToString(sum[:12])+".json"), File: file, SHA256: content, Shape: shape}
	text, err := os.ReadFile(fresh.path)
	if err != nil {
		return fresh
	}
	s := fresh
	if json.Unmarshal(text, &s) != nil || s.SHA256 != content || s.Shape != shape {
		return fresh
	}
	return s
}

// save writes the note down as a whole, or not at all.
func (s *state) save() error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("cannot make a place for notes: %w", err)
	}
	draft := s.path + ".new"
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return fmt.Errorf("cannot note how far the import came: %w", err)
	}
	if err := os.Rename(draft, s.path); err != nil {
		return fmt.Errorf("cannot note how far the import came: %w", err)
	}
	return nil
}

// done takes the note away.
func (s *state) done() error {
	if err := os.Remove(s.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot take the note of the import away: %w", err)
	}
	return nil
}

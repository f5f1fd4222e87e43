package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

// nodeFile holds the name of the log in a data directory.
const nodeFile = "node-id"

var nodeForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

// nodeID is the name of the directory's log, by which a shared store knows how much of
// it is applied. It is made once and kept. A backup has none: what is restored from it
// is another log, which counts from where it is by itself.
func nodeID(dir string) (string, error) {
	path := filepath.Join(dir, nodeFile)
	text, err := os.ReadFile(path)
	if err == nil && nodeForm.Match(text) {
		return string(text), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot read the name of the node: %w", err)
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	id := hex.EncodeToString(b[:])
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", fmt.Errorf("cannot keep the name of the node: %w", err)
	}
	_, err = file.WriteString(id)
	// It must be on disk before anything is stored under it.
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return "", fmt.Errorf("cannot keep the name of the node: %w", err)
	}
	return id, nil
}

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package umpire

import (
	"errors"
	"os"
)

// openLocked fails where the standard library has no file lock that dies with
// its process: there, nothing is spooled.
func openLocked(string, bool) (*os.File, error) { return nil, errors.ErrUnsupported }

func ownDir(string) error { return errors.ErrUnsupported }

func remove(f *os.File) { _ = f.Close() }

func syncDir(string) {}

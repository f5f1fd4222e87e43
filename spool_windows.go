package umpire

import (
	"fmt"
	"os"
	"syscall"
)

// openLocked opens a spool file, or makes it, and shares it with nobody, which
// is the lock: it dies with the process, however it ends.
func openLocked(path string, create bool) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	disposition := uint32(syscall.OPEN_EXISTING)
	if create {
		disposition = syscall.CREATE_NEW
	}
	const alone = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil,
		disposition, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot lock %q: %w", path, err)
	}
	return os.NewFile(uintptr(h), path), nil
}

// ownDir asks nothing more: a user's cache directory is his own here.
func ownDir(string) error { return nil }

// remove closes first, because an open file cannot be deleted here. Should
// another process take the file in between, its events arrive twice, and their
// ids make that harmless.
func remove(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// syncDir has no equivalent: names are durable with the file.
func syncDir(string) {}

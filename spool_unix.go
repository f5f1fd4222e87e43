//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package umpire

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// openLocked opens a spool file, or makes it, and takes its lock without
// waiting. The lock dies with the process, however it ends.
func openLocked(path string, create bool) (*os.File, error) {
	flags := os.O_RDWR | syscall.O_NOFOLLOW
	if create {
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(f)
	if err == nil {
		err = stillThere(f, path)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("cannot lock %q: %w", path, err)
	}
	return f, nil
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// stillThere makes sure that nobody sent and removed the file between its
// opening and its locking.
func stillThere(f *os.File, path string) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(opened, named) {
		return errors.New("it was replaced")
	}
	return nil
}

// ownDir refuses a directory that is not a directory of this user's own: what
// is in it is nobody else's to read or to choose.
func ownDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is no directory", dir)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%q belongs to another user", dir)
	}
	return nil
}

// remove deletes a file while its lock is still held.
func remove(f *os.File) {
	_ = os.Remove(f.Name())
	_ = f.Close()
}

// syncDir makes a new file's name durable; not every file system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

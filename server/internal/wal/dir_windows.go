package wal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// syncDir does nothing: Windows has no such call, and NTFS journals names.
func syncDir(string) error { return nil }

// lock takes the file for this process alone; it is let go when f is closed or
// the process dies.
func lock(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}

// diskFull reports whether a write failed for want of space, which can pass.
func diskFull(err error) bool { return errors.Is(err, windows.ERROR_DISK_FULL) }

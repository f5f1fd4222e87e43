package wal

import (
	"golang.org/x/sys/unix"
)

// Datasync implements segmentFile: fdatasync syncs the size, too, when it grew.
func (f osFile) Datasync() error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

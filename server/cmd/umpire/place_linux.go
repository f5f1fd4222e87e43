package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileNumber tells a file from a copy of it, also after it was renamed, or came with its
// file system to another machine: by its inode and when that was made.
func fileNumber(path string) string {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_INO|unix.STATX_BTIME, &s); err != nil {
		return ""
	}
	return fmt.Sprintf("%d-%d.%09d", s.Ino, s.Btime.Sec, s.Btime.Nsec)
}

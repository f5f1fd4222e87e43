//go:build unix

package machine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Disk is how many bytes the directory's file system has free for this user, and in
// all.
func Disk(dir string) (free, total int64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, fmt.Errorf("cannot tell what is free in %q: %w", dir, err)
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize), nil //nolint:unconvert // their types differ between systems
}

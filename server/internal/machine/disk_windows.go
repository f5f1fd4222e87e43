package machine

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Disk is how many bytes the directory's file system has free for this user, and in
// all.
func Disk(dir string) (free, total int64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, fmt.Errorf("cannot tell what is free in %q: %w", dir, err)
	}
	var available, all, unused uint64
	if err := windows.GetDiskFreeSpaceEx(path, &available, &all, &unused); err != nil {
		return 0, 0, fmt.Errorf("cannot tell what is free in %q: %w", dir, err)
	}
	return int64(available), int64(all), nil
}

//go:build darwin || dragonfly || freebsd || linux || netbsd

package umpire

import (
	"os"
	"syscall"
)

// mapFile maps the first size bytes of f, which need not be there yet, or
// returns nil.
func mapFile(f *os.File, size int) []byte {
	mem, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return mem
}

func unmapFile(mem []byte) { _ = syscall.Munmap(mem) }

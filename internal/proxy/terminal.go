//go:build linux || darwin

package proxy

import (
	"syscall"
	"unsafe"
)

// fromTerminal tells whether a signal of a key came from the terminal, as far as
// that can be known: this process is in the terminal's foreground group, and the
// terminal makes signals of keys. A client that draws on the whole terminal has
// that switched off; what it sends, it sends to the proxy alone.
func fromTerminal() bool {
	fd, err := syscall.Open("/dev/tty", syscall.O_RDONLY|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = syscall.Close(fd) }()
	var group int32
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), getGroup, uintptr(unsafe.Pointer(&group))); e != 0 {
		return false
	}
	var modes syscall.Termios
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), getModes, uintptr(unsafe.Pointer(&modes))); e != 0 {
		return false
	}
	return int(group) == syscall.Getpgrp() && modes.Lflag&syscall.ISIG != 0
}

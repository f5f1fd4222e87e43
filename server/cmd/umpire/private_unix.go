//go:build unix

package main

import "syscall"

// privateFiles makes every file of this process readable by its user only: the
// store, the log and the keys belong to nobody else.
func privateFiles() { syscall.Umask(0o077) }

//go:build !plan9 && !windows

package umpire

import "syscall"

type errno = syscall.Errno

var errnoClasses = []errnoNamed{
	{"connection_refused", []error{syscall.ECONNREFUSED}},
	{"connection_reset", []error{syscall.ECONNRESET, syscall.ECONNABORTED}},
}

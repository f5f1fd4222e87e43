package umpire

import "syscall"

type errno = syscall.Errno

// wsaConnRefused is the one number of Winsock here that package syscall has no
// name for. Its POSIX names are numbers of Go's own on Windows.
const wsaConnRefused = syscall.Errno(10061)

var errnoClasses = []errnoNamed{
	{"connection_refused", []error{wsaConnRefused, syscall.ECONNREFUSED}},
	{"connection_reset", []error{syscall.WSAECONNRESET, syscall.WSAECONNABORTED, syscall.ECONNRESET, syscall.ECONNABORTED}},
}

package umpire

import "syscall"

// errno is what the system calls an error here. None has a number.
type errno = syscall.ErrorString

var errnoClasses []errnoNamed

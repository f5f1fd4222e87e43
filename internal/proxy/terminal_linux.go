package proxy

import "syscall"

const (
	getGroup = syscall.TIOCGPGRP
	getModes = syscall.TCGETS
)

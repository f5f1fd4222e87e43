//go:build !(darwin || dragonfly || freebsd || linux || netbsd)

package umpire

import "os"

// mapFile maps nothing: there is no call for it in the standard library, or, on
// OpenBSD, what is written so is not what others read.
func mapFile(*os.File, int) []byte { return nil }

func unmapFile([]byte) {}

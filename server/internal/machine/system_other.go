//go:build !linux

package machine

import "io/fs"

func system() fs.FS { return nil }

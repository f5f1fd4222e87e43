//go:build !linux

package gosdk_test

import "time"

func threadTime() time.Duration  { return 0 }
func processTime() time.Duration { return 0 }

//go:build !linux

package mcpgo_test

import "time"

func threadTime() time.Duration  { return 0 }
func processTime() time.Duration { return 0 }

//go:build drill

package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// In a binary for drills two files in the directory UMPIRE_DRILL say how far the
// machine's clock is off, and how long each sync of the log takes.
func now() time.Time { return time.Now().Add(drilled("clock")).Round(0) }

func beforeSync() { time.Sleep(drilled("sync")) }

func drilled(name string) time.Duration {
	text, err := os.ReadFile(filepath.Join(os.Getenv("UMPIRE_DRILL"), name))
	if err != nil {
		return 0
	}
	d, _ := time.ParseDuration(strings.TrimSpace(string(text))) // 0 while it is being written
	return d
}

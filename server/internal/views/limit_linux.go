package views

import (
	"fmt"
	"os"
	"syscall"
)

// overhead is what the process needs beside DuckDB's memory: itself, the stacks of its threads.
const overhead = 384 << 20

// limitMemory makes the system refuse this process more memory, and end it before any
// other one where the machine has none left.
func limitMemory(memory int64) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // as far as it may
	most := uint64(memory + overhead)
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("cannot limit memory: %w", err)
	}
	// No file is written, and none is left of it.
	for _, what := range []int{syscall.RLIMIT_CORE, syscall.RLIMIT_FSIZE} {
		if err := syscall.Setrlimit(what, &syscall.Rlimit{}); err != nil {
			return fmt.Errorf("cannot limit files: %w", err)
		}
	}
	return nil
}

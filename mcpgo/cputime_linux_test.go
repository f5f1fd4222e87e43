package mcpgo_test

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime is what this thread, processTime what the process spent on a
// processor.
func threadTime() time.Duration  { return clock(3) } // CLOCK_THREAD_CPUTIME_ID
func processTime() time.Duration { return clock(2) } // CLOCK_PROCESS_CPUTIME_ID

func clock(id uintptr) time.Duration {
	var at syscall.Timespec
	_, _, _ = syscall.Syscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&at)), 0)
	return time.Duration(at.Nano())
}

package gosdk_test

import (
	"syscall"
	"time"
)

// threadTime is what this thread, processTime what the process spent on a
// processor.
func threadTime() time.Duration  { return spent(1) } // RUSAGE_THREAD
func processTime() time.Duration { return spent(syscall.RUSAGE_SELF) }

func spent(who int) time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

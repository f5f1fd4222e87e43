package machine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// lower is by how much the nice value rises: a thread at 5 gets a third of what one at
// 0 gets while both want the same core, and all of it otherwise.
const lower = 5

// GiveWay binds the calling goroutine to a thread of its own for as long as it lives and
// lowers that thread's priority, for work that can wait. The goroutine is to spend its
// time in C: whatever it does in Go holds up others while its thread waits for a core.
// Where the system cannot do it for one thread, nothing happens.
func GiveWay() {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	if raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-raw+lower, 19)) // the call tells 20 - nice
	}
}

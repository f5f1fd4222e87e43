package machine_test

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/umpire-mcp/umpire/server/internal/machine"
)

// Only the thread that gives way has the lower priority, and it ends with its goroutine.
func TestGiveWay(t *testing.T) {
	nice := func() int {
		raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		if err != nil {
			t.Fatal(err)
		}
		return 20 - raw
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := nice()
	told := make(chan [2]int)
	go func() {
		machine.GiveWay()
		told <- [2]int{nice(), unix.Gettid()}
	}()
	got := <-told
	if want := min(before+5, 19); got[0] != want {
		t.Errorf("the thread's nice value is %d, want %d", got[0], want)
	}
	if got[1] == unix.Gettid() {
		t.Error("it is this thread")
	}
	if now := nice(); now != before {
		t.Errorf("this thread's nice value went from %d to %d", before, now)
	}
}

package proxy

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// terminal opens a pseudo-terminal: we hold master, a process lives on slave.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	var unlock, number int32
	control(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	return master, slave
}

func control(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); e != 0 {
		t.Fatalf("ioctl %x: %v", request, e)
	}
}

// Ctrl-C in a terminal reaches the server once; what a client sends that has
// switched the keys' signals off, reaches it as well.
func TestCtrlC(t *testing.T) {
	cases := []struct {
		name string
		raw  bool
	}{
		{"a key", false}, {"a client that draws on the terminal", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, way string) {
				master, slave := terminal(t)
				if c.raw {
					var modes syscall.Termios
					control(t, slave, syscall.TCGETS, unsafe.Pointer(&modes))
					modes.Lflag &^= syscall.ISIG
					control(t, slave, syscall.TCSETS, unsafe.Pointer(&modes))
				}
				cmd := self(way, "signals")
				// The third of its files is the terminal that the session is given.
				cmd.ExtraFiles = []*os.File{slave}
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
				s := begin(t, cmd)
				s.line(t)
				if c.raw {
					_ = s.Process.Signal(syscall.SIGINT)
				} else if _, err := master.Write([]byte{3}); err != nil {
					t.Fatal(err)
				}
				if got := s.line(t); got != syscall.SIGINT.String() {
					t.Errorf("the server got %s", got)
				}
				time.Sleep(50 * time.Millisecond) // a second one would come now
				_ = s.Process.Signal(syscall.SIGTERM)
				rest, _ := io.ReadAll(s.out)
				if got := strings.TrimSpace(string(rest)); got != syscall.SIGTERM.String() {
					t.Errorf("then the server got %q", got)
				}
				_ = s.Wait()
			})
		})
	}
}

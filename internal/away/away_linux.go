package away

import (
	"fmt"
	"syscall"
)

// Test is what is needed of a *testing.T or *testing.B.
type Test interface {
	Helper()
	Fatal(args ...any)
	Cleanup(do func())
}

// Address returns host and port. The port is bound, and nobody listens, until the
// test ends; a port that is only given back may be another process's by then.
func Address(t Test) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	// The socket of a listener may have the port as well, as net.Listen asks for the same.
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)
}

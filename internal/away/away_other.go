//go:build !linux

package away

import "net"

// Test is what is needed of a *testing.T or *testing.B.
type Test interface {
	Helper()
	Fatal(args ...any)
}

// Address returns host and port of a server that was there a moment ago: other
// systems do not let a listener share a port that is only bound.
func Address(t Test) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

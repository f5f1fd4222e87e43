//go:build !linux

package umpire

import (
	"net"
	"testing"
)

// nowhere is the address of a server that was there a moment ago: other systems
// do not let a listener share a port that is only bound.
func nowhere(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

package away_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/umpire-mcp/umpire/internal/away"
)

func TestAddress(t *testing.T) {
	address := away.Address(t)
	if other := away.Address(t); other == address {
		t.Errorf("%s is given twice", address)
	}
	if c, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connection, %v: %v", c, err)
	}
	for range 2 { // servers come and go
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		_ = l.Close()
		if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("when it is gone: %v", err)
		}
	}
}

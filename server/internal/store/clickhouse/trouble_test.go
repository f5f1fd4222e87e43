package clickhouse

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

func TestWhoIsToBlame(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		own  bool // the store's own trouble
	}{
		{"memory", &driver.Exception{Code: 241}, true},
		{"too many parts", &driver.Exception{Code: 252}, true},
		{"no connection", &net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		{"an answer that ends early", io.ErrUnexpectedEOF, true},
		{"a value", &driver.Exception{Code: 53}, false},
		{"a value that the driver refuses", errors.New("cannot append"), false},
	} {
		if got := errors.Is(unavailable(fmt.Errorf("cannot apply: %w", clean(c.err))), store.ErrUnavailable); got != c.own {
			t.Errorf("%s: the store's own %t, want %t", c.name, got, c.own)
		}
	}
}

// An engine that was killed refuses no event.
func TestAnEngineThatIsAway(t *testing.T) {
	engine := enginetest.Start(t, t.TempDir())
	db := opened(t, engine.URL(t, "away"), "n1")
	engine.Kill()
	if err := db.Apply(t.Context(), []store.Entry{asked(1, 0, "a", "ok")}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Apply without an engine: %v", err)
	}
}

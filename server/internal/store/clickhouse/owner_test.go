package clickhouse

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// A copy of a directory never feeds its log beside it, or after it; a directory that
// moved goes on.
func TestOwner(t *testing.T) {
	address := enginetest.URL(t)
	at := func(place string, last uint64) (*DB, error) {
		return Open(t.Context(), address, Options{Node: "n", Log: Log{Place: place, Last: last, Host: "host of " + place}})
	}
	may := func(place string, last uint64) *DB {
		t.Helper()
		db, err := at(place, last)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	mustNot := func(place string, last uint64, why string) {
		t.Helper()
		db, err := at(place, last)
		if err == nil {
			db.Close()
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s at %d: %v; want %q", place, last, err, why)
		}
	}
	apply := func(db *DB, seq uint64) error {
		return db.Apply(t.Context(), []store.Entry{asked(seq, int(seq), "a", umpire.OK)})
	}
	first := may("here", 0)
	if err := apply(first, 1); err != nil {
		t.Fatal(err)
	}
	mustNot("copy", 1, "fed by another umpire, on host of here")
	again := may("here", 1) // as after a kill: whoever was here is gone
	if err := apply(first, 2); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "copy") {
		t.Errorf("the one before still feeds: %v", err)
	}
	if err := apply(again, 2); err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	mustNot("old copy", 1, "the store has it up to 2")
	moved := may("there", 2)
	if err := apply(moved, 3); err != nil {
		t.Fatal(err)
	}
	if err := moved.Close(); err != nil {
		t.Fatal(err)
	}
	mustNot("here", 3, "went on in another directory, on host of there")
	if got := figures(t, may("there", 3)); got != "3 calls 3 timed 0 retries 0 repeated asks" {
		t.Errorf("%s are there", got)
	}
}

// One that was killed is waited for: only where it was it may go on at once.
func TestOwnerThatIsSilent(t *testing.T) {
	db := &DB{node: "n"}
	gone := []owner{{place: "here", host: "h", ago: silent - time.Second}}
	if err := db.mayOwn(t.Context(), gone, Log{Place: "there"}); err == nil {
		t.Error("another place may go on beside one that was there just now")
	}
	if err := db.mayOwn(t.Context(), gone, Log{Place: "here"}); err != nil {
		t.Error(err)
	}
}

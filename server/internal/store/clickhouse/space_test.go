package clickhouse

import (
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// What a project no longer keeps leaves the disk, its counts too; what another one keeps
// of the same day stays.
func TestSpaceComesBack(t *testing.T) {
	db := opened(t, enginetest.URL(t), "n")
	const events = 2000
	var batch []store.Entry
	for i := range uint64(events) {
		e := asked(i+1, int(i)*100, "a", umpire.OK) // some two days and a third
		e.Event.Input = []byte(`{"q":"` + random() + random() + random() + random() + `"}`)
		if e.Event.Session = random(); i%10 == 0 {
			e.Project = 2
		}
		batch = append(batch, e)
	}
	if err := db.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	size := func(table string) (n uint64) {
		t.Helper()
		err := db.conn.QueryRow(t.Context(), "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = currentDatabase() AND active AND table = '"+table+"'").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before, counts := size("event_rows"), size("session_sums")
	cut := storetest.Base.Truncate(24 * time.Hour).Add(3 * 24 * time.Hour) // behind all of it
	if n, err := db.Expire(t.Context(), 1, cut, cut); err != nil || n != events*9/10 {
		t.Fatalf("Expire = %d, %v", n, err)
	}
	if after := size("event_rows"); after > before/2 { // a part has some 15 kB beside its rows
		t.Errorf("nine tenths of the events are gone, and of %d bytes %d are left", before, after)
	}
	if after := size("session_sums"); after > counts/2 {
		t.Errorf("nine tenths of the counts are gone, and of %d bytes %d are left", counts, after)
	}
	if n, err := db.Expire(t.Context(), 2, cut, cut); err != nil || n != events/10 {
		t.Fatalf("Expire = %d, %v", n, err)
	}
	if after := size("event_rows"); after > 1000 {
		t.Errorf("all events are gone, and %d bytes are left", after)
	}
}

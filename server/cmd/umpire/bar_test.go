package main

import (
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/migrate"
)

func TestBar(t *testing.T) {
	day := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	const far = "500,000 of 2,000,000 events, 100,000 of them there before, 20,000/s, 1m15s left"
	for _, tt := range []struct {
		name     string
		terminal bool
		plain    time.Duration
		want     string
	}{
		{"a terminal", true, 0, "\r\x1b[K2026-05-04 [#######                       ] " + far + "\r\x1b[Kcomparing [" + strings.Repeat("#", 30) + "] 2026-05-04\r\x1b[K"},
		{"a log", false, 10 * time.Second, "2026-05-04 " + far + "\ncomparing 2026-05-04\n"},
		{"nobody", false, 0, ""},
	} {
		var out strings.Builder
		at := day
		b := &bar{out: &out, now: func() time.Time { return at }, terminal: tt.terminal, plain: tt.plain}
		for _, s := range []struct {
			after time.Duration
			p     migrate.Progress
		}{
			{20 * time.Second, migrate.Progress{Day: day, Rows: 500_000, Total: 2_000_000, Skipped: 100_000}},
			{time.Millisecond, migrate.Progress{Day: day, Rows: 500_001, Total: 2_000_000}}, // too soon
			{20 * time.Second, migrate.Progress{Day: day, Rows: 2_000_000, Total: 2_000_000, Verifying: true}},
		} {
			at = at.Add(s.after)
			showMigration(b, day, s.p)
		}
		b.clear()
		if out.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, out.String(), tt.want)
		}
	}
}

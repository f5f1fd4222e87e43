package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Each thing that can be wrong is found, by its check, and with what to do; what is
// well is not.
func TestDiagnose(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	heard := now.Add(-time.Minute)
	well := func() State {
		return State{
			Version: "1.0", Now: now, StartedAt: now.Add(-time.Hour), Role: "all", Disk: Disk{FreeBytes: 50 << 30, TotalBytes: 100 << 30},
			Intake: &Intake{Lag: Lag{Events: 3, LimitBytes: 1 << 30}}, Projects: []Project{{Name: "shop", WriteKeys: 1, HeardAt: &heard, Calls: 9}},
		}
	}
	for _, c := range []struct {
		name  string
		make  func(*State, *Seen)
		check string
		level Level
		text  string
	}{
		{"all is well", func(*State, *Seen) {}, "", OK, ""},
		{"another version", func(_ *State, by *Seen) { by.Version = "2.0" }, "version", Note, "1.0"},
		{"the clocks are apart", func(s *State, by *Seen) { by.Sent, by.Got = now.Add(-time.Hour), now.Add(-time.Hour) }, "clock", Wrong, "1h0m0s apart"},
		{"a slow answer is no clock that is wrong", func(s *State, by *Seen) { by.Sent, by.Got = now.Add(-2*time.Minute), now.Add(2*time.Minute) }, "", OK, ""},
		{"the clock was set", func(s *State, _ *Seen) { s.Intake.ClockSteps = 2 }, "clock", Note, "2 times"},
		{"a sender's clock is ahead", func(s *State, _ *Seen) { s.Intake.Ahead = 7 }, "clock", Note, "7 events came dated"},
		{"little disk", func(s *State, _ *Seen) { s.Disk.FreeBytes = 500 << 20 }, "disk", Note, "500 MiB"},
		{"no disk", func(s *State, _ *Seen) { s.Disk.FreeBytes = 1 << 20 }, "disk", Wrong, "1.0 MiB"},
		{"a store that fails", func(s *State, _ *Seen) { s.Intake.Trouble = "no space left on device" }, "store", Wrong, "no space"},
		{"a little behind", func(s *State, _ *Seen) { s.Intake.Lag.Seconds = 60 }, "lag", Note, "1m0s"},
		{"behind for long", func(s *State, _ *Seen) { s.Intake.Lag.Seconds = 6000 }, "lag", Wrong, "1h40m"},
		{"behind by much", func(s *State, _ *Seen) { s.Intake.Lag.Bytes = 700 << 20 }, "lag", Wrong, "700 MiB"},
		{"dead letters", func(s *State, _ *Seen) {
			s.Intake.DeadLetters = DeadLetters{Count: 4, Reasons: map[string]int{"bad": 3, "worse": 1}}
		}, "dead_letters", Wrong, "bad"},
		{"bodies set aside", func(s *State, _ *Seen) { s.Intake.SetAside = 1 }, "set_aside", Note, "1 bodies"},
		{"a torn tail", func(s *State, _ *Seen) { s.Intake.Damage = []Damage{{File: "a.wal", Offset: 9, Reason: "cut"}} }, "log", Note, "a.wal at byte 9"},
		{"damage", func(s *State, _ *Seen) {
			s.Intake.Damage, s.Intake.LostEvents = []Damage{{File: "a.wal", Offset: 9, Reason: "checksum", Lost: 5}}, 5
		}, "log", Wrong, "5 events may be lost"},
		{"damage of before", func(s *State, _ *Seen) { s.Intake.DamagedFiles = []string{"b.damaged"} }, "log", Note, "b.damaged"},
		{"no project", func(s *State, _ *Seen) { s.Projects = nil }, "events", Wrong, "no project"},
		{"no key", func(s *State, _ *Seen) { s.Projects[0].WriteKeys = 0 }, "events", Wrong, "no key"},
		{"nothing ever came", func(s *State, _ *Seen) { s.Projects[0].HeardAt = nil }, "events", Wrong, "ever"},
		{"silence", func(s *State, _ *Seen) { s.Now = s.Now.Add(60 * time.Hour) }, "events", Note, "60h"},
		{"senders dropped", func(s *State, _ *Seen) { s.Projects[0].Dropped = 7 }, "events", Note, "7 events"},
		{"a sender that cannot show", func(s *State, _ *Seen) {
			s.Projects[0].Unseen = []query.NotReported{{Sender: "otlp", SDK: "x", Calls: 2, What: []string{"empty"}, LowerBound: []string{"crashed"}, Note: "why"}}
		}, "outcomes", Note, "cannot show empty; only in part crashed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, by := well(), Seen{Version: "1.0"}
			c.make(&s, &by)
			list := Diagnose(s, by)
			found := false
			for _, f := range list {
				if f.Level == OK {
					continue
				}
				if f.Check != c.check || f.Level != c.level || !strings.Contains(f.Text, c.text) || f.Do == "" {
					t.Errorf("found %+v", f)
				}
				found = true
			}
			if found != (c.check != "") || Sick(list) != (c.level == Wrong) {
				t.Errorf("found %+v", list)
			}
		})
	}
}

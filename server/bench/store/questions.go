package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// question is one route of the read API: each is one exported function of query/.
type question struct {
	name, path, last string
	floor            string // warm
	cold, under      string // floors of these
}

// rollup gives a question the floors of panels that are read from rollups.
func rollup(name, path, last string) question {
	return question{name, path, last, "40 ms", "100 ms", "60 ms"}
}

// asked are all questions, the ones with a floor first. {session}, {call} and {tool}
// are the names of some that are there.
var asked = []question{
	rollup("Overview, 30 days", "overview", "30d"),
	rollup("Overview, 90 days", "overview", "90d"),
	rollup("Tools, 30 days", "tools", "30d"),
	rollup("Clients, 30 days", "clients", "30d"),
	rollup("Servers, 30 days", "servers", "30d"),
	{"Errors, 30 days", "errors", "30d", "60 ms", "", ""},
	{"one session", "sessions/{session}", "30d", "60 ms", "", ""},
	{"latest failures", "calls?outcome=bad_args&outcome=tool_error&outcome=crashed", "30d", "60 ms", "", ""},
	{"Calls, 30 days", "calls", "30d", "", "", ""},
	{"one call", "calls/{call}", "30d", "", "", ""},
	{"one tool, 30 days", "tools/{tool}", "30d", "", "", ""},
	{"Sessions, 30 days", "sessions", "30d", "", "", ""},
	{"AfterErrors, 30 days", "errors/next", "30d", "", "", ""},
	{"Insights, 30 days", "insights", "30d", "", "", ""},
	{"Never, 30 days", "never-called", "30d", "", "", ""},
	{"Releases, 30 days", "releases", "30d", "", "", ""},
	{"Pairs, 30 days", "pairs", "30d", "", "", ""},
	{"Empties, 30 days", "empty", "30d", "", "", ""},
	{"Reported, 30 days", "reported", "30d", "", "", ""},
	{"Unknown, 30 days", "unknown-tools", "30d", "", "", ""},
	{"FilterValues, 30 days", "filters", "30d", "", "", ""},
	{"Users, 30 days", "users", "30d", "", "", ""},
	{"Intents, 30 days", "intents", "30d", "", "", ""},
	{"Resources, 30 days", "resources", "30d", "", "", ""},
	{"Prompts, 30 days", "prompts", "30d", "", "", ""},
}

// questions asks everything of a prepared directory: cold, warm, and under ingest, of
// which the events stay there.
func (b *bench) questions(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(b.Data, note)); err != nil {
		return fmt.Errorf("there is nothing prepared in %q: %w", b.Data, err)
	}
	s, err := b.newServer(b.Data, "")
	if err != nil {
		return err
	}
	defer s.kill()
	size := fmt.Sprintf(", %d million", s.Events/1_000_000)
	if err := s.start(ctx); err != nil {
		return err
	}
	names, err := s.names(ctx)
	if err != nil {
		return err
	}
	if err := b.opening(ctx, s, "start to the first acknowledgement"+size); err != nil {
		return err
	}
	cold := func() error { return dropCache(s.dir) }
	if err := b.cold(ctx, s, names, cold, size); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := b.memory(ctx, s, "resident memory, opened and idle"+size, "150 MB", 3*time.Second); err != nil {
		return err
	}
	if err := b.warm(ctx, s, names, "warm"+size, func(q question) string { return q.floor }, b.Rounds); err != nil {
		return err
	}
	if b.Under == 0 {
		return s.terminate()
	}
	return b.underIngest(ctx, s, names, size)
}

// underIngest asks while live events come in.
func (b *bench) underIngest(ctx context.Context, s *server, names *strings.Replacer, size string) error {
	loading, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() {
		_, err := s.load(loading, loadOf{events: 10_000_000, batch: 100, rate: b.Under, until: time.Now(), span: time.Hour, seed: uint64(time.Now().UnixNano())})
		done <- err
	}()
	time.Sleep(2 * time.Second)
	err := b.warm(ctx, s, names, fmt.Sprintf("at %.0f events/s%s", b.Under, size), func(q question) string { return q.under }, max(b.Rounds/3, 5))
	stop()
	if loaded := <-done; err == nil {
		err = loaded
	}
	if err != nil {
		return err
	}
	return s.terminate()
}

// names fills in the names of a session, a call and a tool.
func (s *server) names(ctx context.Context) (*strings.Replacer, error) {
	text, err := s.get(ctx, s.at(question{path: "calls?limit=50", last: "30d"}))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Calls []struct {
			ID, Session, Tool string
			At                time.Time `json:"started_at"`
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Calls) == 0 {
		return nil, fmt.Errorf("there are no calls: %w: %.200s", err, text)
	}
	c := answer.Calls[len(answer.Calls)-1]
	return strings.NewReplacer("{session}", url.PathEscape(c.Session), "{call}", c.ID, "{tool}", url.PathEscape(c.Tool)), nil
}

// at is the address of a question, in the range before the end of what was prepared.
func (s *server) at(q question) string {
	days := map[string]int{"30d": 30, "90d": 90}[q.last]
	to := s.Until.Truncate(time.Hour)
	sign := "?"
	if strings.Contains(q.path, "?") {
		sign = "&"
	}
	return "/api/v1/" + q.path + sign + "project=p0&from=" + to.AddDate(0, 0, -days).Format(time.RFC3339) + "&to=" + to.Format(time.RFC3339)
}

// timed asks once.
func (s *server) timed(ctx context.Context, q question, names *strings.Replacer) (time.Duration, error) {
	path := names.Replace(s.at(q))
	began := time.Now()
	_, err := s.get(ctx, path)
	return time.Since(began), err
}

// patience is how long one question may be asked again and again.
const patience = 10 * time.Second

func (b *bench) warm(ctx context.Context, s *server, names *strings.Replacer, how string, floor func(question) string, rounds int) error {
	for _, q := range asked {
		var took []time.Duration
		for n, began := 0, time.Now(); n <= rounds && (n < 4 || time.Since(began) < patience); n++ {
			one, err := s.timed(ctx, q, names)
			if err != nil {
				return err
			}
			if n > 0 { // the first one warms up
				took = append(took, one)
			}
		}
		b.table.question(q.name+", "+how, floor(q), took)
	}
	return nil
}

// cold asks each question of a process that was never asked, with nothing of its files
// in memory.
func (b *bench) cold(ctx context.Context, s *server, names *strings.Replacer, drop func() error, size string) error {
	for _, q := range asked {
		if b.ColdEach == 0 {
			return nil
		}
		var took []time.Duration
		for range b.ColdEach {
			if err := s.start(ctx); err != nil {
				return err
			}
			if err := drop(); err != nil {
				return err
			}
			one, err := s.timed(ctx, q, names)
			if err != nil {
				return err
			}
			took = append(took, one)
			s.kill()
		}
		b.table.question(q.name+", cold"+size, q.cold, took)
	}
	return nil
}

// dropCache asks the kernel to forget the pages of all files of a directory.
func dropCache(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_ = f.Sync() // what is not written cannot be forgotten
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
}

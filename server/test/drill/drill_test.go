//go:build linux

package drill

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/umpire-mcp/umpire/server/internal/generate"
	_ "github.com/umpire-mcp/umpire/server/internal/ingest" // a change there makes a cached result void
	"github.com/umpire-mcp/umpire/server/internal/load"
)

// projects are so many that batches of several meet in the log.
const projects = 3

// trouble is one way to break a server that runs, and how to mend it.
type trouble struct {
	name string
	do   func(*server)
}

var troubles = []trouble{
	{"killed under load", func(s *server) {
		s.ready()
		time.Sleep(rand.N(400 * time.Millisecond))
		s.kill()
		s.start()
	}},
	{"killed while starting", func(s *server) {
		s.kill()
		s.start()
		time.Sleep(rand.N(250 * time.Millisecond))
		s.kill()
		s.start()
	}},
	{"disk full", func(s *server) {
		s.ready()
		s.fileLimit(0)
		time.Sleep(300*time.Millisecond + rand.N(400*time.Millisecond))
		if rand.IntN(3) == 0 { // and killed before there is room again
			s.kill()
			s.start()
			return
		}
		s.fileLimit(unix.RLIM_INFINITY)
	}},
	{"disk slow", func(s *server) {
		s.ready()
		s.set("sync", "80ms")
		time.Sleep(500 * time.Millisecond)
		s.set("sync", "0s")
	}},
	{"clock set", func(s *server) {
		s.ready()
		s.set("clock", []string{"-3h", "3h", "-26h", "700h"}[rand.IntN(4)])
		time.Sleep(300 * time.Millisecond)
		if rand.IntN(2) == 0 {
			s.set("clock", "0s")
		}
	}},
}

func TestDrill(t *testing.T) {
	length := 9 * time.Second
	rate := 1500.0
	if text := os.Getenv("UMPIRE_DRILL_FOR"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		rate = 4000
	}
	s := newServer(t, "")
	s.start()
	s.ready()
	ledger := load.NewLedger()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	type outcome struct {
		load.Result
		err error
	}
	sent := make(chan outcome, 1)
	go func() {
		r, err := load.Run(ctx, load.Config{
			Address: s.addr, Keys: s.keys, Batch: 25, Connections: 6, Rate: rate, Again: .25, Shuffle: 400, Ledger: ledger,
			Events: generate.Options{Seed: rand.Uint64(), Events: int(rate*length.Seconds()) + 1, Until: time.Now(), Span: 20 * time.Hour, Plain: true},
		})
		sent <- outcome{r, err}
	}()
	counts := map[string]int{}
	// On a slow machine it goes on until it proves something.
	short := func() bool { return len(counts) < len(troubles) || ledger.Events() < 1000 }
	for end := time.Now().Add(length); time.Now().Before(end) || short() && time.Since(end) < startLimit; {
		one := troubles[rand.IntN(len(troubles))]
		if n := len(counts); n < len(troubles) { // each at least once
			one = troubles[n]
		}
		one.do(s)
		counts[one.name]++
	}
	s.set("clock", "0s")
	s.ready()
	stop()
	result := <-sent
	if result.err != nil {
		t.Fatalf("%v\n%s", result.err, s.stderr.String())
	}
	if ledger.Events() < 1000 {
		t.Fatalf("only %d events were acknowledged: this proves nothing", ledger.Events())
	}
	s.caughtUp() // a server that is stopped before says so, with exit code 1
	s.terminate()
	found := compare(t, filepath.Join(s.dir, "data"), ledger)

	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, one := range troubles {
		print(w, "%s\t%d times\n", one.name, counts[one.name])
	}
	print(w, "events acknowledged\t%d\n", ledger.Events())
	print(w, "batches sent again\t%d\n", result.Again)
	print(w, "refused, and sent again\t%d\n", result.Refused)
	print(w, "without an answer, and sent again\t%d\n", result.Failed)
	print(w, "lost\t%d\n", found.lost)
	print(w, "doubled\t%d\n", found.doubled)
	print(w, "wrong figures\t%d of %d\n", found.wrong, found.figures)
	_ = w.Flush()
	t.Logf("drill of %s:\n%s", length, &table)
	if found != (difference{figures: found.figures}) {
		t.Errorf("the server did not keep its word\n%s", s.all.String())
	}
	if log := s.all.String(); strings.Contains(log, "the log is damaged") && strings.Contains(log, "torn_tail=false") {
		t.Errorf("the log was damaged elsewhere than at its end:\n%s", log)
	}
}

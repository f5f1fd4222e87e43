//go:build linux

package drill

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/load"
	"github.com/umpire-mcp/umpire/server/internal/store/clickhouse"
)

// The drill with ClickHouse as the store, which is killed, too: `DRILL_STORE=clickhouse
// make drill`. It is not part of make test.
func TestDrillClickHouse(t *testing.T) {
	text := os.Getenv("UMPIRE_DRILL_FOR")
	if text == "" {
		t.Skip("DRILL_STORE=clickhouse make drill runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	engine := enginetest.Start(t, t.TempDir())
	const database = "drill"
	s := newServerOn(t, "", engine.URL(t, database))
	s.start()
	s.ready()
	ledger := load.NewLedger()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	sent := make(chan error, 1)
	const rate = 2000
	go func() {
		_, err := load.Run(ctx, load.Config{
			Address: s.addr, Keys: s.keys, Batch: 25, Connections: 6, Rate: rate, Again: .25, Shuffle: 400, Ledger: ledger,
			Events: generate.Options{Seed: rand.Uint64(), Events: int(rate*length.Seconds()) + 1, Until: time.Now(), Span: 20 * time.Hour, Plain: true},
		})
		sent <- err
	}()
	counts := map[string]int{}
	for end := time.Now().Add(length); time.Now().Before(end); {
		what := []string{"engine killed", "serve killed", "both killed"}[len(counts)%3]
		if len(counts) == 3 {
			what = []string{"engine killed", "serve killed", "both killed"}[rand.IntN(3)]
		}
		time.Sleep(time.Second + rand.N(3*time.Second))
		if what != "serve killed" {
			engine.Kill()
		}
		if what != "engine killed" {
			s.kill()
		}
		if what != "serve killed" {
			time.Sleep(rand.N(2 * time.Second)) // the log holds what comes meanwhile
			engine.Restart(t)
		}
		if what != "engine killed" {
			s.start()
			s.ready()
		}
		counts[what]++
	}
	stop()
	if err := <-sent; err != nil {
		t.Fatalf("%v\n%s", err, s.stderr.String())
	}
	s.caughtUp()
	s.terminate()
	st, err := clickhouse.Open(context.Background(), s.store, clickhouse.Options{Node: "compares"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	found := against(t, st, filepath.Join(s.dir, "data"), ledger)
	t.Logf("drill of %s on ClickHouse: %v, %d events acknowledged, %d lost, %d doubled, %d of %d figures wrong",
		length, counts, ledger.Events(), found.lost, found.doubled, found.wrong, found.figures)
	if found != (difference{figures: found.figures}) || ledger.Events() < 1000 {
		t.Errorf("the server did not keep its word\n%s", s.all.String())
	}
}

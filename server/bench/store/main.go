// Command store measures the whole server from outside, on one machine: a real
// `umpire serve`, loaded through its door by a loader beside it.
//
//	store -parts ingest                       fresh server: events/s, latency, memory, bytes, recovery
//	store -parts prepare -events 10000000 -data DIR
//	store -parts multiply -from DIR -data DIR2 -times 10
//	store -parts questions -data DIR          every question, warm and cold, alone and under ingest
//	store -parts clickhouse                   the same, on the engine of `make engine`
//	store -parts otel                         an OpenTelemetry Collector, the same calls
//
// In: the programs of `make build` and `make engine`, and a scratch directory. Out: a
// Markdown table with the floor and the goal of each figure, its median, and the least
// and the greatest of the rounds. It never looks into a server but by its API, its
// files' sizes and what the kernel says of its process.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type flags struct {
	Parts     []string      `help:"What to measure: ingest, steady (a part of ingest), questions, otel, clickhouse; or to prepare: prepare, multiply." default:"ingest,otel"`
	Umpire    string        `help:"The program." default:"../bin/umpire"`
	Engine    string        `help:"ClickHouse: the program of make engine." default:"../bin/engine"`
	Collector string        `help:"OpenTelemetry Collector: the program of bench/collector." default:"../bin/collector"`
	Data      string        `help:"Directory that prepare and multiply make and questions asks; a scratch one for the other parts."`
	From      string        `help:"Directory that multiply reads."`
	Times     int           `help:"How many times multiply makes of it." default:"10"`
	Copies    int           `help:"ClickHouse: how many copies of what came in by the door are made beside it by SQL, before questions are asked." default:"0"`
	Events    int           `help:"How many events." default:"1000000"`
	Rounds    int           `help:"How often each question is asked warm; ingest has three rounds." default:"15"`
	ColdEach  int           `name:"cold" help:"How often each question is asked cold, each time of a fresh process." default:"3"`
	Under     float64       `help:"Questions under so many events a second; 0: not." default:"20000"`
	For       time.Duration `help:"How long the load at a fixed rate lasts." default:"20s"`
	Scratch   string        `help:"Where scratch directories are made." default:""`
}

// bench is a run with its table.
type bench struct {
	flags
	table table
}

func main() {
	var f flags
	kong.Parse(&f, kong.Description("Measures a whole Umpire from outside."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := &bench{flags: f}
	err := b.run(ctx)
	b.table.write(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing to do any more
	}
}

func (b *bench) run(ctx context.Context) error {
	parts := map[string]func(context.Context) error{
		"ingest": b.ingest, "steady": b.steadyAlone, "questions": b.questions, "otel": b.otel, "clickhouse": b.clickhouse,
		"prepare": b.prepare, "multiply": b.multiply,
	}
	for _, name := range b.Parts {
		part, ok := parts[name]
		if !ok {
			return fmt.Errorf("there is no part %q", name)
		}
		began := time.Now()
		if err := part(ctx); err != nil {
			return fmt.Errorf("part %s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "part %s took %s\n", name, time.Since(began).Round(time.Second))
	}
	return nil
}

// temporary makes a scratch directory.
func (b *bench) temporary() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp(b.Scratch, "umpire-bench"); err != nil {
		return "", nil, fmt.Errorf("cannot make a scratch directory: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// prepare makes a data directory of so many events through the door, to be asked later.
func (b *bench) prepare(ctx context.Context) error {
	if b.Data == "" {
		return errors.New("where to? give -data")
	}
	if _, err := os.Stat(filepath.Join(b.Data, note)); err == nil {
		fmt.Fprintln(os.Stderr, "there already:", b.Data)
		return nil
	}
	s, err := b.newServer(b.Data, "")
	if err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.kill()
	until := time.Now().UTC().Truncate(time.Hour)
	if _, err := s.load(ctx, loadOf{events: b.Events, batch: 100, until: until, span: ninetyDays, seed: 1}); err != nil {
		return err
	}
	if err := s.caughtUp(ctx, 0); err != nil {
		return err
	}
	if err := s.terminate(); err != nil {
		return err
	}
	return s.remember(until, b.Events)
}

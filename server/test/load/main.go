// Command load sends generated events to a running server, or writes them to a
// file, for benchmarks: see package generate for what they are. The same seed and
// end give the same events.
//
//	load --to 127.0.0.1:8787 --key ump_w_… --events 1000000 --batch 100 --prepare
//	load --out events.ndjson --events 1000000
//
// With several keys, of as many projects, the traffic is spread over them.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"

	"github.com/umpire-mcp/umpire/server/internal/generate"
	"github.com/umpire-mcp/umpire/server/internal/load"
)

type flags struct {
	To          string        `help:"Address of the server, as host:port." default:"127.0.0.1:8787"`
	Key         []string      `help:"Write key; one for each project." env:"UMPIRE_KEY"`
	Out         string        `help:"Write the events to a file, one JSON object a line, and send nothing." placeholder:"FILE"`
	Events      int           `help:"How many." default:"1000000"`
	Days        float64       `help:"Over how many days." default:"90"`
	Until       time.Time     `help:"When they end, RFC 3339; now by default." placeholder:"TIME"`
	Seed        uint64        `help:"The same seed and end give the same events." default:"1"`
	FreshIDs    bool          `name:"fresh-ids" help:"Ids of now, not of the time that the events are said to be of."`
	Plain       bool          `help:"No bodies, intents and traces."`
	Batch       int           `help:"Events in a request." default:"100"`
	Connections int           `help:"Connections." default:"8"`
	Rate        float64       `help:"Events a second; 0: as fast as it goes." default:"0"`
	For         time.Duration `help:"Stop after this time; 0: when all are sent." default:"0"`
	Prepare     bool          `help:"Make all events before the first is sent."`
	Again       float64       `help:"Share of the batches that are sent twice." default:"0"`
	Shuffle     int           `help:"Over how many events the order is mixed up." default:"0"`
	Ledger      string        `help:"Write the acknowledged ids to a file: project and id, a line each." placeholder:"FILE"`
}

func main() {
	var f flags
	kong.Parse(&f, kong.Description("Sends generated events to a running Umpire, for benchmarks."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := f.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func (f *flags) run(ctx context.Context) error {
	if f.Until.IsZero() {
		f.Until = time.Now().UTC().Truncate(time.Second)
	}
	o := generate.Options{Seed: f.Seed, Events: f.Events, Until: f.Until, Span: time.Duration(f.Days * 24 * float64(time.Hour)), Plain: f.Plain}
	if f.FreshIDs {
		o.IDTime = time.Now()
	}
	if f.Out != "" {
		return write(f.Out, o)
	}
	cfg := load.Config{
		Address: f.To, Keys: f.Key, Events: o, Batch: f.Batch, Connections: f.Connections, Rate: f.Rate,
		Prepare: f.Prepare, Again: f.Again, Shuffle: f.Shuffle,
	}
	if f.Ledger != "" {
		cfg.Ledger = load.NewLedger()
	}
	if f.For > 0 {
		limited, cancel := context.WithTimeout(ctx, f.For)
		defer cancel()
		ctx = limited
	}
	result, err := load.Run(ctx, cfg)
	fmt.Fprintln(os.Stdout, result)
	if err != nil || f.Ledger == "" {
		return err
	}
	file, err := os.Create(f.Ledger)
	if err != nil {
		return fmt.Errorf("cannot write the ledger: %w", err)
	}
	defer file.Close()
	return cfg.Ledger.WriteIDs(file)
}

func write(path string, o generate.Options) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot write the events: %w", err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	g := generate.New(o)
	var line []byte
	for {
		_, e, ok := g.Next()
		if !ok {
			break
		}
		line = append(generate.AppendJSON(line[:0], &e), '\n')
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("cannot write the events: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write the events: %w", err)
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/internal/nearby"
	"github.com/umpire-mcp/umpire/server/internal/admin"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/importer"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

type importCommand struct {
	Files   []string `arg:"" name:"file" help:"Files, plain or gzip."`
	Project string   `help:"Project that the events belong to; with --to the key decides." placeholder:"P" env:"UMPIRE_PROJECT"`
	To      string   `help:"Address of a running Umpire, in place of a data directory." placeholder:"URL" env:"UMPIRE_TO"`
	Key     string   `help:"Write key (ump_w_…) for --to." env:"UMPIRE_KEY"`
	dataFlag
	As string `help:"What the files are, where that cannot be told: posthog, otlp, umpire or transcript." enum:",posthog,otlp,umpire,transcript" default:""`
}

// Help is what umpire import --help adds.
func (importCommand) Help() string {
	return `Each FILE is one of:

  posthog      an export of PostHog's events: one a line, or a list
  otlp         OTLP as JSON: an export request a line, as the Collector's file exporter writes it, or one a file
  umpire       events as POST /api/v1/events takes them, one a line
  transcript   JSON-RPC messages, exchanges, or a log of an MCP client or inspector: what umpire classify reads

They go through the same doors as what SDKs send. What is sent again counts once, so that the same command may be given
again; one that was stopped goes on where it was. A line that cannot be read is named on stderr, the rest is imported
all the same, and the exit code is 1. docs/import.md has more.`
}

func (c *importCommand) Run(ctx context.Context) error {
	if c.To == "" {
		if c.Project == "" {
			return fault.New(fault.BadRequest, "which project do the events belong to?", "name it with --project")
		}
		if err := meta.CheckName(c.Project); err != nil {
			return err
		}
		return withDirectory(ctx, c.dataFlag, func(client *admin.Client) error {
			dir, err := filepath.Abs(c.Data)
			if err != nil {
				return fmt.Errorf("cannot find the data directory %q: %w", c.Data, err)
			}
			target := importer.Target{Client: client.HTTP(), Base: "http://umpire", Key: nearby.Key(c.Project), Name: dir + "\x00" + c.Project}
			return c.files(ctx, os.Stderr, target, filepath.Join(dir, "imports"))
		})
	}
	if c.Key == "" {
		return fault.New(fault.BadRequest, "a server takes events with a key only", "give a write key with --key; umpire key add --project P --write makes one")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("cannot find a place to note how far the import came: %w", err)
	}
	base := strings.TrimRight(c.To, "/")
	target := importer.Target{Client: &http.Client{Timeout: 2 * time.Minute}, Base: base, Key: c.Key, Name: base + "\x00" + c.Key}
	return c.files(ctx, os.Stderr, target, filepath.Join(cache, "umpire", "imports"))
}

// files imports each file, and ends at the first that cannot be imported.
func (c *importCommand) files(ctx context.Context, out io.Writer, target importer.Target, notes string) error {
	bar := newBar(out)
	job := importer.Job{
		Target: target, Notes: notes, Shape: importer.Shape(c.As), Progress: func(path string, done, size int64, lines int) { showImport(bar, path, done, size, lines) },
		Bad: func(path string, line int, reason, hint string) {
			bar.clear()
			fmt.Fprintf(out, "umpire: %s, line %d: %s\n", path, line, reason)
			if hint != "" {
				fmt.Fprintln(out, "  hint:", hint)
			}
		},
	}
	bad := 0
	for _, path := range c.Files {
		result, err := job.File(ctx, path)
		bar.clear()
		if err != nil {
			if result.Sent > 0 {
				fmt.Fprintf(out, "umpire: %s: stopped after %s; the same command goes on there\n", path, format.Plural(int64(result.Sent), "event"))
			}
			return err
		}
		bad += result.Bad
		fmt.Fprintf(out, "umpire: %s: %s sent, as %s%s\n", path, format.Plural(int64(result.Sent), importWord(result.Shape)), result.Shape, left(result))
	}
	if bad > 0 {
		return fmt.Errorf("%s left out", format.Plural(int64(bad), "line"))
	}
	return nil
}

func importWord(shape importer.Shape) string {
	if shape == importer.OTLP {
		return "request"
	}
	return "event"
}

func left(r importer.Result) (text string) {
	if r.From > 0 {
		text = ", the last of them from line " + format.Count(int64(r.From)) + " on"
	}
	if r.Bad > 0 {
		text += "; " + format.Plural(int64(r.Bad), "line") + " left out"
	}
	return text
}

// withHistory lets a request keep the times of its events, however old, as an import
// asks for.
func withHistory(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(importer.HistoryHeader) != "" {
			r = r.WithContext(pipeline.WithHistory(r.Context()))
		}
		next.ServeHTTP(w, r)
	})
}

// showImport shows how far an import came.
func showImport(b *bar, path string, done, size int64, lines int) {
	part := 1.0
	if size > 0 {
		part = min(1, float64(done)/float64(size))
	}
	b.draw(filepath.Base(path), part, fmt.Sprintf("%3.0f %%  line %s", part*100, format.Count(int64(lines))))
}

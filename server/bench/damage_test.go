package bench

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/ingest"
	"github.com/umpire-mcp/umpire/server/internal/meta"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/duckdb"
	"github.com/umpire-mcp/umpire/server/internal/wal"
)

// away is a store that takes nothing: all that is acknowledged stays in the log.
type away struct{ discard }

func (*away) Apply(context.Context, []store.Entry) error { return store.ErrUnavailable }

// acknowledged is a batch that was answered with 200, and where the log holds it.
type acknowledged struct {
	ids      []umpire.ID
	file     string
	from, to int64
}

// server is the door, the pipeline and the log over a store.
func server(t *testing.T, dir string, keys *meta.DB, writer store.Writer, out *bytes.Buffer) (*httptest.Server, *pipeline.Pipeline, func()) {
	t.Helper()
	log, err := wal.Open(filepath.Join(dir, "wal"), wal.Options{SegmentBytes: 1500})
	if err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(out, nil))
	p, err := pipeline.New(context.Background(), log, writer, pipeline.Options{Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(ingest.New(door.NewFront(p, keys, door.Options{Logger: logger})))
	return s, p, func() {
		s.Close()
		_ = p.Close() // the store may be away
		_ = log.Close()
	}
}

// send posts a batch and returns its ids.
func send(t *testing.T, s *httptest.Server, key string) []umpire.ID {
	t.Helper()
	l, err := dial(s.Listener.Addr().String(), key, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer l.conn.Close()
	if status, err := l.post(); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	var ids []umpire.ID
	for _, at := range l.ids {
		var id umpire.ID
		if err := id.UnmarshalText(l.out[at : at+36]); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// lastFile is the segment that is written, and its length.
func lastFile(t *testing.T, dir string) (name string, size int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "wal", "*.wal"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	info, err := os.Stat(slices.Max(files))
	if err != nil {
		t.Fatal(err)
	}
	return info.Name(), info.Size()
}

// TestADamagedLogOfAServer: what was acknowledged by HTTP and lies in a log that is
// then cut, or has a bit flipped, is in the store of the server that opens it, but for
// what the damage itself holds. That is told, with the file; later segments are read;
// new events are taken.
func TestADamagedLogOfAServer(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	keys, err := meta.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	project, err := keys.EnsureProject(ctx, "shop")
	if err != nil {
		t.Fatal(err)
	}
	key, err := keys.AddKey(ctx, project.ID, meta.Write, "")
	if err != nil {
		t.Fatal(err)
	}
	s, _, stop := server(t, dir, keys, &away{}, &bytes.Buffer{})
	defer stop()
	const header = 32 // of a segment
	var sent []acknowledged
	file, end := "", int64(header)
	for range 7 {
		a := acknowledged{ids: send(t, s, key)}
		if a.file, a.to = lastFile(t, dir); a.file != file {
			file, end = a.file, header
		}
		a.from, end = end, a.to
		sent = append(sent, a)
	}
	if sent[0].file == sent[6].file || sent[0].file != sent[1].file {
		t.Fatalf("the log is not what this test is for: %v", sent)
	}
	for _, tt := range []struct {
		name   string
		batch  int
		offset func(acknowledged) int64
		cut    bool
	}{
		{"a segment's header, flipped", 0, func(a acknowledged) int64 { return a.from - 1 }, false},
		{"the first group's length, flipped", 0, func(a acknowledged) int64 { return a.from + 9 }, false},
		{"a segment before the last, cut", 1, func(a acknowledged) int64 { return a.to - 1 }, true},
		{"the last group's length, flipped", 6, func(a acknowledged) int64 { return a.from + 9 }, false},
		{"the last group, flipped", 6, func(a acknowledged) int64 { return a.to - 1 }, false},
		{"the last group, cut", 6, func(a acknowledged) int64 { return a.to - 1 }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, a := t.TempDir(), sent[tt.batch]
			if err := os.CopyFS(filepath.Join(now, "wal"), os.DirFS(filepath.Join(dir, "wal"))); err != nil {
				t.Fatal(err)
			}
			offset := tt.offset(a)
			spoil(t, filepath.Join(now, "wal", a.file), offset, tt.cut)
			lost := func(b acknowledged) bool {
				return b.file == a.file && (tt.cut && b.to > offset || !tt.cut && b.from <= offset && offset < b.to)
			}
			told := reopened(t, now, keys, project.ID, key, sent, lost)
			if !strings.Contains(told, "the log is damaged") || !strings.Contains(told, a.file) {
				t.Errorf("the damage is not told, or not where: %s", told)
			}
			if torn := strings.Contains(told, "torn_tail=true"); torn != (tt.cut && tt.batch == 6) {
				t.Errorf("a torn write: %v; %s", torn, told)
			}
		})
	}
}

func spoil(t *testing.T, path string, offset int64, cut bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[offset] ^= 4
	if cut {
		data = data[:offset]
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// reopened starts a server on the damaged log, looks for every event, and returns what
// the server said.
func reopened(t *testing.T, dir string, keys *meta.DB, project uint32, key string, sent []acknowledged, lost func(acknowledged) bool) string {
	ctx := context.Background()
	db, err := duckdb.Open(ctx, filepath.Join(dir, "events.duckdb"), duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var told bytes.Buffer
	s, p, stop := server(t, dir, keys, db, &told)
	after := acknowledged{ids: send(t, s, key)}
	if err := p.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	for _, a := range append(slices.Clone(sent), after) {
		known, err := db.Known(ctx, project, a.ids)
		if err != nil {
			t.Fatal(err)
		}
		if len(known) != len(a.ids) && !lost(a) {
			t.Errorf("%d of %d events of %s at %d are there", len(known), len(a.ids), a.file, a.from)
		}
	}
	stop() // nobody writes any more
	return told.String()
}

package spec_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/umpire-mcp/umpire"
)

// native is a native door in memory, as docs/wire.md describes it. fate says
// what becomes of the n-th request with events; "" and unknown words mean 200.
type native struct {
	fate func(n int) string

	mu      sync.Mutex
	n       int
	acked   map[string]int // how often an event was acknowledged
	refused map[string]bool
	dropped map[string]int
	bodies  [][]byte
	events  []map[string]any
}

func newNative(fate func(n int) string) *native {
	return &native{fate: fate, acked: map[string]int{}, refused: map[string]bool{}, dropped: map[string]int{}}
}

type nativeBody struct {
	Events  []map[string]any `json:"events"`
	Dropped map[string]int   `json:"dropped"`
}

func (d *native) RoundTrip(r *http.Request) (*http.Response, error) {
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	var body nativeBody
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fate := "200"
	if len(body.Events) > 0 {
		fate = d.fate(d.n)
		d.n++
	}
	status, header, answer := d.take(fate, body)
	if status == 0 {
		return nil, fmt.Errorf("connection reset")
	}
	if status == 200 || status == 207 {
		for reason, n := range body.Dropped {
			d.dropped[reason] += n
		}
		d.bodies = append(d.bodies, raw)
		d.events = append(d.events, body.Events...)
	}
	return &http.Response{
		StatusCode: status, Status: fmt.Sprint(status), Header: header,
		Body: io.NopCloser(strings.NewReader(answer)), Request: r,
	}, nil
}

func (d *native) take(fate string, body nativeBody) (int, http.Header, string) {
	switch fate {
	case "reset":
		return 0, nil, ""
	case "lost answer": // the events are taken, and the sender never learns it
		d.acknowledge(body.Events)
		return 0, nil, ""
	case "500":
		return 500, http.Header{}, "<html>"
	case "503":
		return 503, http.Header{"Retry-After": {"3"}}, `{"error":{"message":"later"}}`
	case "400":
		for _, e := range body.Events {
			d.refused[e["id"].(string)] = true
		}
		return 400, http.Header{}, `{"error":{"message":"no"}}`
	case "413":
		if len(body.Events) > 1 {
			return 413, http.Header{}, `{}`
		}
	case "207":
		d.acknowledge(body.Events[1:])
		d.refused[body.Events[0]["id"].(string)] = true
		return 207, http.Header{}, fmt.Sprintf(`{"accepted":%d,"duplicates":0,"rejected":[{"index":0}]}`, len(body.Events)-1)
	}
	d.acknowledge(body.Events)
	return 200, http.Header{}, fmt.Sprintf(`{"accepted":%d,"duplicates":0}`, len(body.Events))
}

func (d *native) acknowledge(events []map[string]any) {
	for _, e := range events {
		d.acked[e["id"].(string)]++
	}
}

// bubble hides Deadline, which must not be asked for where time is not real.
type bubble struct{ testing.TB }

// TestNoEventIsLostUncounted throws whatever a server may answer at a client.
// Afterwards every event is acknowledged, refused, on disk or counted as
// dropped, and the counts say so.
func TestNoEventIsLostUncounted(t *testing.T) {
	base := t.TempDir()
	run := 0
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(t *rapid.T) {
			run++
			fates := rapid.SliceOfN(rapid.SampledFrom([]string{
				"200", "200", "207", "400", "413", "500", "503", "reset", "lost answer",
			}), 0, 12).Draw(t, "fates")
			door := newNative(func(n int) string {
				if n < len(fates) {
					return fates[n]
				}
				return "200"
			})
			dir := filepath.Join(base, fmt.Sprint(run))
			spool := rapid.SampledFrom([]string{dir, "-"}).Draw(t, "spool")
			c := umpire.New(umpire.Options{
				Endpoint: "http://umpire.test", Key: "ump_w_x", SpoolDir: spool, HTTPClient: &http.Client{Transport: door},
				QueueSize: rapid.IntRange(1, 300).Draw(t, "queue"),
			})
			defer func() { _ = c.Close(context.Background()) }()
			recorded := exercise(t, c)
			before := c.Stats().Dropped
			brief, cancel := context.WithTimeout(context.Background(), time.Duration(rapid.IntRange(0, 9000).Draw(t, "ms"))*time.Millisecond)
			err := c.Close(brief)
			cancel()
			missing := checkAccounts(t, c.Stats(), door, recorded, onDisk(t, dir))
			if err == nil && missing > before {
				t.Fatalf("close returned nil, but %d events are nowhere, and only %d were dropped before it", missing, before)
			}
		})
	})
}

// exercise records, flushes and waits at random, and returns the ids.
func exercise(t *rapid.T, c *umpire.Client) []umpire.ID {
	var ids []umpire.ID
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		for range rapid.IntRange(0, 120).Draw(t, "events") {
			id := umpire.NewID()
			ids = append(ids, id)
			c.Record(umpire.Event{ID: id, Kind: "call", Call: umpire.Call{Tool: "t", Outcome: umpire.OK}})
		}
		switch rapid.IntRange(0, 2).Draw(t, "then") {
		case 0:
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			_ = c.Flush(ctx)
			cancel()
		case 1:
			time.Sleep(time.Duration(rapid.IntRange(0, 5000).Draw(t, "pause")) * time.Millisecond)
		}
	}
	return ids
}

func onDisk(t *rapid.T, dir string) map[string]bool {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(content) {
			var e struct{ ID string }
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("a line of the spool: %v", err)
			}
			ids[e.ID] = true
		}
	}
	return ids
}

func checkAccounts(t *rapid.T, s umpire.Stats, door *native, recorded []umpire.ID, disk map[string]bool) (missing uint64) {
	door.mu.Lock()
	defer door.mu.Unlock()
	if int(s.Recorded) != len(recorded) || s.Queued != 0 || s.Recorded != s.Sent+s.Rejected+s.Dropped+s.Spooled {
		t.Fatalf("counts do not add up for %d events: %+v", len(recorded), s)
	}
	for _, id := range recorded {
		if id := id.String(); door.acked[id] == 0 && !door.refused[id] && !disk[id] {
			missing++
		}
	}
	if missing > s.Dropped {
		t.Fatalf("%d events are nowhere, and %d were dropped: %+v", missing, s.Dropped, s)
	}
	return missing
}

// value draws a JSON value, with the borders of numbers and strings in it.
func value(depth int) *rapid.Generator[any] {
	scalars := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "text") }),
		rapid.Custom(func(t *rapid.T) any { return rapid.Float64Range(-1e300, 1e300).Draw(t, "number") }),
		rapid.Custom(func(t *rapid.T) any { return float64(rapid.IntRange(-1000, 1000).Draw(t, "int")) }),
		rapid.SampledFrom([]any{nil, true, false, 0.0, 1e21, 1e-7, 5e-324}),
	)
	if depth == 0 {
		return scalars
	}
	return rapid.OneOf(
		scalars,
		rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list") }),
		rapid.Custom(func(t *rapid.T) any { return object(depth-1).Draw(t, "object") }),
	)
}

func object(depth int) *rapid.Generator[map[string]any] {
	names := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"q", "page", "cursor", "limit", "\ufb33", "\U0001f600"}))
	return rapid.MapOfN(names, value(depth), 0, 6)
}

// write is one of many ways to write a value in JSON.
func write(t *rapid.T, v any) string {
	space := func() string { return rapid.SampledFrom([]string{"", " ", "\n\t"}).Draw(t, "space") }
	switch v := v.(type) {
	case map[string]any:
		var members []string
		for name, member := range v {
			members = append(members, space()+write(t, name)+space()+":"+space()+write(t, member)+space())
		}
		return "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, space()+write(t, item)+space())
		}
		return "[" + strings.Join(items, ",") + "]"
	case float64:
		format := rapid.SampledFrom([]string{"%v", "%.17e", "%.17G"}).Draw(t, "format")
		return fmt.Sprintf(format, v)
	case string:
		if rapid.Bool().Draw(t, "escape") {
			var b strings.Builder
			for _, unit := range utf16Units(v) {
				fmt.Fprintf(&b, `\u%04X`, unit)
			}
			return `"` + b.String() + `"`
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func utf16Units(s string) []uint16 {
	var units []uint16
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			units = append(units, uint16(0xd800+r>>10), uint16(0xdc00+r&0x3ff))
			continue
		}
		units = append(units, uint16(r))
	}
	return units
}

// hashes sends calls and returns args_hash and ask_hash of each.
func hashes(t *rapid.T, events ...umpire.Event) (list [][2]string) {
	door := newNative(func(int) string { return "200" })
	c := umpire.New(umpire.Options{Endpoint: "http://umpire.test", Key: "ump_w_x", SpoolDir: "-", HTTPClient: &http.Client{Transport: door}})
	for _, e := range events {
		c.Record(e)
	}
	if err := c.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, e := range door.events {
		args, _ := e["args_hash"].(string)
		ask, _ := e["ask_hash"].(string)
		list = append(list, [2]string{args, ask})
	}
	if len(list) != len(events) {
		t.Fatalf("%d of %d events arrived", len(list), len(events))
	}
	return list
}

// TestHashesCompareValues: args_hash tells arguments apart by their value and
// not by how they are written; ask_hash is blind to paging; neither can be
// compared between sessions (outcomes.md 6.2).
func TestHashesCompareValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := object(2).Draw(t, "a"), object(2).Draw(t, "b")
		turned := map[string]any{}
		for name, v := range a {
			turned[name] = v
		}
		for _, name := range []string{"page", "cursor", "limit"} {
			delete(turned, name)
		}
		turned["page"] = value(1).Draw(t, "page")
		call := func(session string, args map[string]any) umpire.Event {
			return umpire.Event{Kind: "call", Session: session, Arguments: []byte(write(t, args))}
		}
		got := hashes(t, call("s", a), call("s", a), call("s", b), call("s", turned), call("other", a))
		same := canonicalText(t, a) == canonicalText(t, b)
		for _, h := range got {
			if len(h[0]) != 12 || len(h[1]) != 12 {
				t.Fatalf("hashes %v have not 12 digits", h)
			}
		}
		switch {
		case got[0] != got[1]:
			t.Fatalf("one value has two hashes: %v, %v", got[0], got[1])
		case (got[0][0] == got[2][0]) != same:
			t.Fatalf("values equal: %v, hashes %v and %v", same, got[0], got[2])
		case got[0][1] != got[3][1]:
			t.Fatalf("turning a page changed ask_hash: %v, %v", got[0], got[3])
		case got[0][0] == got[4][0] || got[0][1] == got[4][1]:
			t.Fatalf("two sessions share a hash: %v, %v", got[0], got[4])
		}
	})
}

// canonicalText compares two values as JSON sees them: encoding/json sorts the
// names and writes one form of every number.
func canonicalText(t *rapid.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.ReplaceAll(text, []byte("-0,"), []byte("0,")))
}

// TestAddressesNeverLeave puts an e-mail address into every free text of an
// event, and identifiers into the places of identifiers.
func TestAddressesNeverLeave(t *testing.T) {
	const mail = "max.muster@example.com"
	words := rapid.StringMatching(`[a-zäöü ,.]{0,40}`)
	name := rapid.StringMatching(`[a-z0-9_.:-]{1,40}`)
	rapid.Check(t, func(t *rapid.T) {
		text := func(what string) string { return words.Draw(t, what) + " " + mail + " " + words.Draw(t, what) }
		e := umpire.Event{
			ID: umpire.NewID(), Kind: "call", User: name.Draw(t, "user"), Session: name.Draw(t, "session"), Intent: text("intent"),
			Meta: map[string]any{"note": text("note"), "ref": umpire.NewID().String()},
			Call: umpire.Call{Tool: name.Draw(t, "tool"), Outcome: umpire.ToolError, ErrorType: name.Draw(t, "type"), ErrorMessage: text("message")},
		}
		door := newNative(func(int) string { return "200" })
		c := umpire.New(umpire.Options{Endpoint: "http://umpire.test", Key: "ump_w_x", SpoolDir: "-", HTTPClient: &http.Client{Transport: door}})
		c.Record(e)
		if err := c.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		if body := bytes.Join(door.bodies, nil); bytes.Contains(body, []byte("max.muster")) || !bytes.Contains(body, []byte("[EMAIL_REDACTED]")) {
			t.Fatalf("left the process: %s", body)
		}
		got := door.events[0]
		want := map[string]any{"id": e.ID.String(), "user": e.User, "session": e.Session, "tool": e.Tool, "error_type": e.ErrorType}
		for field, value := range want {
			if got[field] != value {
				t.Fatalf("%s became %v, was %v", field, got[field], value)
			}
		}
		if got["meta"].(map[string]any)["ref"] != e.Meta["ref"] {
			t.Fatalf("an id in meta became %v", got["meta"])
		}
	})
}

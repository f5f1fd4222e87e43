package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/umpire-mcp/umpire/server/internal/door"
	"github.com/umpire-mcp/umpire/server/internal/pipeline"
)

func gzipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, s); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstded(t testing.TB, s string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(s), nil))
}

// TestAnswers is the table of docs/wire.md, and the bodies that try to hurt.
func TestAnswers(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	lines := "Content-Type: application/x-ndjson"
	gz, zs := "Content-Encoding: gzip", "Content-Encoding: zstd"
	zeros := strings.Repeat("\x00", 32<<20)
	deep := strings.Repeat("[", 2_000_000)
	big := `"x":"` + strings.Repeat("y", maxEvent) + `"`
	many := events(strings.TrimSuffix(strings.Repeat("{},", maxEvents+1), ","))
	for _, tt := range []struct {
		name    string
		body    string
		headers []string
		status  int
		want    string // part of the answer
	}{
		{"one event", events(event()), nil, 200, `{"accepted":1,"duplicates":0}`},
		{"two, one of them bad", events(event(), `{"id":"x"}`), nil, 207, `"index":1,"id":"x"`},
		{"nothing good", events(`1`), nil, 207, `{"accepted":0,"duplicates":0,"rejected":[{"index":0,`},
		{"announcement", events(), nil, 200, `{"accepted":0,"duplicates":0}`},
		{"announcement with null", `{"events":null}`, nil, 200, `"accepted":0`},
		{"gzip", gzipped(t, events(event())), []string{gz}, 200, `"accepted":1`},
		{"zstd", zstded(t, events(event())), []string{zs}, 200, `"accepted":1`},
		{"identity", events(event()), []string{"Content-Encoding: identity"}, 200, `"accepted":1`},
		{"ndjson", event() + "\n\r\n" + event() + "\r\n", []string{lines}, 200, `"accepted":2`},
		{"ndjson with a bad line", event() + "\n{cut\n" + event(), []string{lines}, 207, `"accepted":2,"duplicates":0,"rejected":[{"index":1,`},
		{"ndjson in gzip", gzipped(t, event()+"\n"), []string{lines, gz}, 200, `"accepted":1`},
		{"ndjson with a deep line", deep + "\n" + event(), []string{lines}, 207, `"accepted":1`},
		{"no content type", events(event()), []string{"Content-Type: "}, 200, `"accepted":1`},
		{"charset", events(event()), []string{"Content-Type: application/json; charset=utf-8"}, 200, `"accepted":1`},
		{"foreign key", events(event()), []string{"Authorization: Bearer " + d.foreignKey}, 200, `"accepted":1`},
		{"lower-case bearer", events(event()), []string{"Authorization: bearer " + d.write}, 200, `"accepted":1`},

		{"empty", "", nil, 400, "empty"},
		{"empty ndjson", "\n\n", []string{lines}, 400, "empty"},
		{"cut", events(event())[:40], nil, 400, "bad_request"},
		{"no object", `[1]`, nil, 400, "no object"},
		{"no list", `{"event":[]}`, nil, 400, "no object with a list"},
		{"events is no list", `{"events":{}}`, nil, 400, "no object with a list"},
		{"events twice", `{"events":[],"events":[]}`, nil, 400, "twice"},
		{"a tail", events() + "{}", nil, 400, "follows"},
		{"NaN", events(event(`"duration_us":NaN`)), nil, 400, "cannot be read"},
		{"Infinity", events(event(`"duration_us":-Infinity`)), nil, 400, "cannot be read"},
		{"single quotes", `{'events':[]}`, nil, 400, "cannot be read"},
		{"trailing comma", `{"events":[],}`, nil, 400, "cannot be read"},
		{"a comma before nothing", events(event() + ","), nil, 400, "cannot be read"},
		{"deeply nested and cut", deep, nil, 400, "cannot be read"},
		{"no gzip", events(event()), []string{gz}, 400, "cannot be decoded"},
		{"gzip cut", gzipped(t, events(event()))[:60], []string{gz}, 400, "ends too early"},
		{"empty gzip", "", []string{gz}, 400, "cannot be decoded"},
		{"no zstd", events(event()), []string{zs}, 400, "cannot be decoded"},

		{"no key", events(event()), []string{"Authorization: "}, 401, "carries no key"},
		{"unknown key", events(event()), []string{"Authorization: Bearer ump_w_0000000000000000000000000000000000000000"}, 401, "unknown or revoked"},
		{"basic", events(event()), []string{"Authorization: Basic dXNlcjpwYXNz"}, 401, "carries no key"},
		{"read key", events(event()), []string{"Authorization: Bearer " + d.read}, 403, "write key"},

		{"too large", events(strings.Repeat(" ", maxBody)), nil, 413, "5 MiB"},
		{"too large when decoded", gzipped(t, events(strings.Repeat(" ", maxBody))), []string{gz}, 413, "5 MiB"},
		{"gzip bomb", gzipped(t, zeros), []string{gz}, 413, "5 MiB"},
		{"zstd bomb", zstded(t, zeros), []string{zs}, 413, "5 MiB"},
		{"too many", many, nil, 413, "10,000"},
		{"too many lines", strings.Repeat("{}\n", maxEvents+1), []string{lines}, 413, "10,000"},

		{"brotli", events(event()), []string{"Content-Encoding: br"}, 415, "gzip"},
		{"two encodings", events(event()), []string{"Content-Encoding: gzip, gzip"}, 415, "gzip"},
		{"form", events(event()), []string{"Content-Type: application/x-www-form-urlencoded"}, 415, "application/json"},
		{"odd content type", events(event()), []string{"Content-Type: ;;;"}, 415, "application/json"},

		{"a large event", events(event(), event(big)), nil, 207, `"accepted":1,"duplicates":0,"rejected":[{"index":1,`},
		{"a deep event", events(event(`"x":`+strings.Repeat("[", 50_000)+strings.Repeat("]", 50_000)), event()), nil, 200, `"accepted":2`},
		{"a number of a million digits", events(event(`"rules":1` + strings.Repeat("0", 100_000))), nil, 200, `"accepted":1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, text, header := d.post(strings.NewReader(tt.body), tt.headers...)
			if status != tt.status || !strings.Contains(text, tt.want) {
				t.Fatalf("%d %s\nwant %d with %s", status, text, tt.status, tt.want)
			}
			if header.Get("Content-Type") != "application/json" {
				t.Errorf("content type %q", header.Get("Content-Type"))
			}
			if (status == 401) != (header.Get("WWW-Authenticate") != "") {
				t.Errorf("WWW-Authenticate %q on %d", header.Get("WWW-Authenticate"), status)
			}
			if status < 400 {
				return
			}
			var shape struct {
				Error struct{ Code, Message, Hint string }
			}
			if err := json.Unmarshal([]byte(text), &shape); err != nil || shape.Error.Code == "" || shape.Error.Message == "" || shape.Error.Hint == "" {
				t.Errorf("the error has not its shape: %s", text)
			}
		})
	}
}

func TestOtherMethods(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS"} {
		req, err := http.NewRequest(method, d.URL+d.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != 405 || resp.Header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow %q", method, resp.StatusCode, resp.Header.Get("Allow"))
		}
	}
}

func TestRepeatedBatchesAreDuplicates(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	body := events(event(), event())
	for i, want := range []string{`{"accepted":2,"duplicates":0}`, `{"accepted":0,"duplicates":2}`} {
		if status, text, _ := d.post(strings.NewReader(body)); status != 200 || text != want {
			t.Errorf("post %d: %d %s, want %s", i, status, text, want)
		}
	}
	if n := len(d.stored()); n != 2 {
		t.Errorf("%d stored, want 2", n)
	}
}

func TestChunkedAndContinued(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	// A reader of unknown length is sent in chunks.
	body := io.MultiReader(strings.NewReader(`{"events":[`), strings.NewReader(event()+`]}`))
	if status, text, _ := d.post(body, "Expect: 100-continue"); status != 200 || !strings.Contains(text, `"accepted":1`) {
		t.Errorf("%d %s", status, text)
	}
	// The sender waits for 100 Continue and then sends byte by byte.
	u, err := url.Parse(d.URL + d.path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text := events(event())
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", u.Path, u.Host, d.write, len(text))
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	_, _ = in.ReadString('\n')
	for i := range len(text) {
		if _, err := conn.Write([]byte{text[i]}); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
}

// slowBody fails like a connection whose read deadline has passed.
type slowBody struct{}

func (slowBody) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func TestASlowSenderIsTold(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	req := httptest.NewRequest(http.MethodPost, "/api/v1/events", slowBody{})
	req.Header.Set("Authorization", "Bearer "+d.write)
	w := httptest.NewRecorder()
	d.handler.ServeHTTP(w, req)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "too slowly") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheKeysRate(t *testing.T) {
	d := openDoor(t, door.Options{EventsPerSecond: 1}, pipeline.Options{})
	many := make([]string, 2*10)
	for i := range many {
		many[i] = event()
	}
	if status, text, _ := d.post(strings.NewReader(events(many...))); status != 200 {
		t.Fatalf("within the 10: %d %s", status, text)
	}
	status, text, header := d.post(strings.NewReader(events(event())))
	if status != 429 || header.Get("Retry-After") == "" || !strings.Contains(text, "too_many_requests") {
		t.Errorf("beyond the rate: %d %s, Retry-After %q", status, text, header.Get("Retry-After"))
	}
	if status, _, _ := d.post(strings.NewReader(events(event())), "Authorization: Bearer "+d.foreignKey); status != 200 {
		t.Errorf("another key: %d", status)
	}
}

func TestTheServerStopping(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	if err := d.pipeline.Close(); err != nil {
		t.Fatal(err)
	}
	status, text, header := d.post(strings.NewReader(events(event())))
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(text, `"code":"unavailable"`) {
		t.Errorf("%d %s, Retry-After %q", status, text, header.Get("Retry-After"))
	}
}

func TestBombsCostNothing(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	bomb := gzipped(t, strings.Repeat("\x00", 64<<20))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 3 {
		if status, _, _ := d.post(strings.NewReader(bomb), "Content-Encoding: gzip"); status != 413 {
			t.Fatalf("status %d", status)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 40<<20 {
		t.Errorf("three bombs of 64 MiB made us allocate %d MiB", got>>20)
	}
}

func TestWhatSendersTell(t *testing.T) {
	d := openDoor(t, door.Options{}, pipeline.Options{})
	post := func(body string) {
		t.Helper()
		if status, text, _ := d.post(strings.NewReader(body)); status != 200 {
			t.Fatalf("%s: %d %s", body, status, text)
		}
	}
	if _, known := d.handler.Open(d.project.ID); known {
		t.Error("pending is known before anybody said so")
	}
	post(`{"events":[],"open":3,"dropped":5}`)
	post(`{"dropped":{"queue_full":2,"other":-1,"odd":"x"},"open":null,"events":[` + event() + `],"new":{"a":[1]}}`)
	if n, known := d.handler.Open(d.project.ID); n != 3 || !known {
		t.Errorf("open = %d, %v; want 3", n, known)
	}
	if _, known := d.handler.senders.open(d.project.ID, time.Now().Add(2*openFor)); known {
		t.Error("a sender's word holds for ever")
	}
	drops, err := d.db.Drops(t.Context(), d.project.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{"unknown": 5, "queue_full": 2}, drops); diff != "" {
		t.Error(diff)
	}
	key, _ := d.db.Lookup(d.write)
	if key.LastUsed.IsZero() || key.AnnouncedAt.IsZero() || !key.AnnouncedAt.Before(key.LastUsed) {
		t.Errorf("key %+v", key)
	}
}

// TestCorpus sends the bodies of every released SDK, and one from the future.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "spec", "corpus", "native", "*.json"))
	if err != nil || len(files) < 2 {
		t.Fatalf("the corpus has %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			d := openDoor(t, door.Options{}, pipeline.Options{Retention: -1})
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var sent struct{ Events []json.RawMessage }
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Fatal(err)
			}
			status, text, _ := d.post(bytes.NewReader(body))
			if want := fmt.Sprintf(`{"accepted":%d,"duplicates":0}`, len(sent.Events)); status != 200 || text != want {
				t.Fatalf("%d %s, want %s", status, text, want)
			}
			if n := len(d.stored()); n != len(sent.Events) {
				t.Errorf("%d stored, want %d", n, len(sent.Events))
			}
		})
	}
}

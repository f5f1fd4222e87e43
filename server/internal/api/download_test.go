package api_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/api"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

// accepting is get with an Accept header.
func accepting(h http.Handler, target, accept string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Accept", accept)
	h.ServeHTTP(w, r)
	return w
}

// Every list is the same list as a file: as many rows, under every name of the form.
func TestListsAsFiles(t *testing.T) {
	h := serve(t)
	for path, name := range api.Tables {
		const q = "?last=7d&project=shop"
		var want []any
		for address := "/api/v1/" + path + q; address != ""; {
			a := ask(t, h, address)
			want = append(want, a[name].([]any)...)
			address = ""
			if next, more := a["next"].(string); more {
				address = "/api/v1/" + path + q + "&cursor=" + next
			}
		}
		if len(want) == 0 {
			t.Errorf("%s: no rows: the test tests nothing", path)
		}
		file := get(h, "/api/v1/"+path+".csv"+q)
		rows, err := csv.NewReader(file.Body).ReadAll()
		if err != nil || file.Code != http.StatusOK || len(rows) != len(want)+1 {
			t.Errorf("%s.csv: %d, %d lines, %v; want a head and %d", path, file.Code, len(rows), err, len(want))
		}
		if got := file.Header().Get("Content-Disposition"); got != fmt.Sprintf(`attachment; filename="shop-%s.csv"`, strings.ReplaceAll(path, "/", "-")) {
			t.Errorf("%s.csv is called %s", path, got)
		}
		lines := bytes.Split(bytes.TrimSpace(accepting(h, "/api/v1/"+path+q, "text/html;q=0.1, application/x-ndjson").Body.Bytes()), []byte("\n"))
		if len(lines) != len(want) {
			t.Fatalf("%s as NDJSON: %d lines, want %d", path, len(lines), len(want))
		}
		for i, line := range lines {
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			for field, v := range want[i].(map[string]any) {
				switch v := v.(type) {
				case map[string]any:
					continue // in columns of its own
				case []any:
					if len(v) == 0 {
						continue // nothing in a file
					}
				case string:
					if v == "" {
						continue
					}
				}
				if fmt.Sprint(row[field]) != fmt.Sprint(v) && !strings.HasSuffix(field, "_at") && !strings.HasSuffix(field, "_seen") && !strings.HasSuffix(field, "_ever") && field != "since" {
					t.Errorf("%s, row %d: %s is %v in the file and %v in the list", path, i, field, row[field], v)
				}
			}
		}
		if parquet := get(h, "/api/v1/"+path+".parquet"+q); !bytes.HasPrefix(parquet.Body.Bytes(), []byte("PAR1")) || !bytes.HasSuffix(parquet.Body.Bytes(), []byte("PAR1")) {
			t.Errorf("%s.parquet: %d, no whole Parquet file", path, parquet.Code)
		}
	}
	if w := get(h, "/api/v1/overview.csv"); w.Code != http.StatusNotFound {
		t.Errorf("the overview is no list: %d", w.Code)
	}
	if w := get(h, "/api/v1/calls.csv?slice=nonesuch"); w.Code != http.StatusBadRequest || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("a fault of a file is no JSON: %d %s", w.Code, w.Body)
	}
	if w := accepting(h, "/api/v1/calls", "application/json, text/csv"); w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Vary") != "Accept" {
		t.Errorf("who wants JSON first gets %s", w.Header().Get("Content-Type"))
	}
}

// A file of more rows than a part holds is whole, and formulas in it are texts.
func TestFilesAreWholeAndHarmless(t *testing.T) {
	s := filled(t)
	var batch []store.Entry
	n := query.MaxLimit*2 + 7
	for i := range n {
		e := umpire.Event{ID: umpire.NewID(), Kind: "call", StartedAt: storetest.Base}
		e.Tool, e.Outcome, e.ErrorMessage = "=HYPERLINK(1)", umpire.Crashed, "@SUM(A1)"
		batch = append(batch, store.Entry{Seq: uint64(10_000 + i), Project: 2, ReceivedAt: e.StartedAt, Event: e})
	}
	if err := s.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	h := api.New(s, projects{{ID: 1, Name: "shop"}, {ID: 2, Name: "=a/b\"\r\n"}}, anybody, options)
	w := get(h, "/api/v1/calls.csv?last=7d&project=%3Da%2Fb%22%0D%0A")
	rows, err := csv.NewReader(bytes.NewReader(w.Body.Bytes())).ReadAll()
	if err != nil || len(rows) != n+1 {
		t.Fatalf("%d lines, %v; want a head and %d", len(rows), err, n)
	}
	seen := map[string]bool{}
	id := slices.Index(rows[0], "id")
	for _, row := range rows[1:] {
		seen[row[id]] = true
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Fatalf("a cell is a formula: %q", cell)
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d different calls, want %d", len(seen), n)
	}
	if got := w.Header().Get("Content-Disposition"); got != `attachment; filename="_a_b___-calls.csv"` {
		t.Errorf("the file is called %s", got)
	}
	for _, end := range []string{".csv", ".ndjson"} {
		src := &asks{Reader: s}
		w := &parts{header: http.Header{}, src: src}
		api.New(src, projects{{ID: 2, Name: "large"}}, anybody, options).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/calls"+end+"?last=7d", nil))
		if src.parts < 3 || w.most > src.parts/2 {
			t.Errorf("calls%s: up to %d of %d parts were in memory before one was written", end, w.most, src.parts)
		}
	}
}

// asks counts how often the store is asked for a part.
type asks struct {
	store.Reader
	parts int
}

func (a *asks) Snapshot(ctx context.Context, do func(store.Reader) error) error {
	a.parts++
	return a.Reader.Snapshot(ctx, do)
}

// parts takes an answer, and sees how many parts were read from one write to the next.
type parts struct {
	header http.Header
	src    *asks
	at     int
	most   int
}

func (p *parts) Header() http.Header { return p.header }
func (p *parts) WriteHeader(int)     {}

func (p *parts) Write(b []byte) (int, error) {
	p.most = max(p.most, p.src.parts-p.at)
	p.at = p.src.parts
	return len(b), nil
}

// An answer that the asker has already is not sent again.
func TestTags(t *testing.T) {
	h := serve(t)
	first := get(h, "/api/v1/tools?last=7d")
	tag := first.Header().Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		t.Fatalf("ETag %q", tag)
	}
	for _, c := range []struct {
		target, have string
		status       int
	}{
		{"/api/v1/tools?last=7d", tag, http.StatusNotModified},
		{"/api/v1/tools?last=7d", `"x", W/` + tag, http.StatusNotModified},
		{"/api/v1/tools?last=7d", `"x"`, http.StatusOK},
		{"/api/v1/tools?last=7d&client=cursor", tag, http.StatusOK},
		{"/api/v1/tools?last=7d&project=nonesuch", tag, http.StatusNotFound},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, c.target, nil)
		r.Header.Set("If-None-Match", c.have)
		h.ServeHTTP(w, r)
		if w.Code != c.status || (c.status == http.StatusNotModified && w.Body.Len() > 0) {
			t.Errorf("%s, have %s: %d, want %d", c.target, c.have, w.Code, c.status)
		}
	}
}

// Pages of other origins get nothing: no header lets them read an answer.
func TestNoOtherOrigin(t *testing.T) {
	h := serve(t)
	for _, method := range []string{http.MethodGet, http.MethodOptions} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/api/v1/overview", nil)
		r.Header.Set("Origin", "https://evil.example")
		r.Header.Set("Access-Control-Request-Method", "GET")
		h.ServeHTTP(w, r)
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s: %s", method, name, w.Header().Get(name))
			}
		}
	}
}

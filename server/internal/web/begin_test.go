package web_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

// held answers nothing before it is let go.
type held struct {
	*webtest.Memory
	until chan struct{}
}

func (h held) Snapshot(ctx context.Context, do func(store.Reader) error) error {
	<-h.until
	return h.Memory.Snapshot(ctx, do)
}

func (h held) Facets(ctx context.Context, f store.Filter) (store.Facets, error) {
	<-h.until
	return h.Memory.Facets(ctx, f)
}

// The head of a page is there before anything is asked, and with the rest it is the
// page that comes at once.
func TestHeadComesFirst(t *testing.T) {
	for _, path := range []string{"", "tools", "clients", "errors", "sessions", "calls", "users", "releases", "empty"} {
		src := held{one(), make(chan struct{})}
		server := httptest.NewServer(pages(t, src, webtest.Orders, web.Options{PanelTimeout: time.Minute}))
		defer server.Close()
		r, err := http.Get(server.URL + "/p/orders-mcp/" + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		head := make([]byte, len("<!doctype html>"))
		if _, err := io.ReadFull(r.Body, head); err != nil {
			t.Fatal(err)
		}
		close(src.until)
		rest, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		got := string(head) + string(rest)
		if strings.Count(got, "<!doctype html>") != 1 || strings.Count(got, "<main") != 1 || !strings.HasSuffix(got, "</html>\n") {
			t.Errorf("/%s is no whole page: %s", path, got)
		}
		title, _, _ := strings.Cut(got[strings.Index(got, "<title>")+len("<title>"):], "</title>")
		if !strings.HasSuffix(title, " · orders-mcp · Umpire") {
			t.Errorf("/%s has the title %q", path, title)
		}
	}
}

// stuck has one question that takes forever.
type stuck struct{ *webtest.Memory }

func (s stuck) Snapshot(_ context.Context, do func(store.Reader) error) error { return do(s) }

func (s stuck) ByClient(ctx context.Context, _ store.Filter) ([]store.ClientRow, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A panel has two seconds; the rest of the page stays.
func TestPanelHasTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := web.New(stuck{one()}, webtest.Orders, web.Options{Now: func() time.Time { return webtest.Now }, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		body := page(t, h, "/p/orders-mcp/")
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the page took %v", took)
		}
		has(t, body, "This took too long.", `id="tools"`, "h-outcomes")
	})
}

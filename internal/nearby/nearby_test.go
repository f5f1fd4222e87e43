package nearby

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// cache gives the test a cache directory of its own.
func cache(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
}

// server takes requests at a socket and hands on the keys that it is shown.
func server(t *testing.T, name string) (Server, <-chan string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "u")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	keys := make(chan string, 10)
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			keys <- r.Header.Get("Authorization")
		}))
	}()
	return Server{Data: "/data/" + name, Socket: socket, Address: "http://" + name}, keys
}

func TestFind(t *testing.T) {
	cache(t)
	ctx := context.Background()
	if s, ok := Find(ctx, Any); ok {
		t.Fatalf("found %+v where none is", s)
	}
	now := time.Now()
	withdraw := map[string]func(){}
	for i, name := range []string{"first", "last", "dead"} {
		s, _ := server(t, name)
		if name == "dead" {
			s.Socket += "-gone"
		}
		s.Started = now.Add(time.Duration(i) * time.Second)
		undo, err := Announce(s)
		if err != nil {
			t.Fatal(err)
		}
		withdraw[name] = undo
	}
	if s, ok := Find(ctx, Any); !ok || s.Address != "http://last" {
		t.Errorf("found %+v, want the last that lives", s)
	}
	if s, ok := Find(ctx, func(s Server) bool { return s.Address == "http://first" }); !ok || s.Data != "/data/first" {
		t.Errorf("found %+v, want the one that suits", s)
	}
	withdraw["last"]()
	if s, ok := Find(ctx, Any); !ok || s.Address != "http://first" {
		t.Errorf("found %+v, want the one that is left", s)
	}
}

// A server that starts later is found by who is there already.
func TestOptionsFindAServerThatStartsLater(t *testing.T) {
	cache(t)
	o := Options("my books", Anywhere, DialAny(Any))
	ask := func() error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.Endpoint, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+o.Key)
		res, err := o.HTTPClient.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	if err := ask(); err == nil {
		t.Fatal("somebody answered")
	}
	s, keys := server(t, "late")
	if _, err := Announce(s); err != nil {
		t.Fatal(err)
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	if got, want := <-keys, "Bearer "+Key("my books"); got != want {
		t.Errorf("key %q, want %q", got, want)
	}
}

func TestKeys(t *testing.T) {
	for _, project := range []string{"local", "my books", "ä:b/c", "a+b"} {
		if got, ok := ProjectOf(Key(project)); !ok || got != project {
			t.Errorf("%q came back as %q, %v", project, got, ok)
		}
	}
	for _, key := range []string{"", "local:", "ump_w_abc", "local:%zz"} {
		if project, ok := ProjectOf(key); ok {
			t.Errorf("%q names the project %q", key, project)
		}
	}
}

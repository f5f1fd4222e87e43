package proxy

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/internal/away"
	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// scene is a server, a proxy in front of it, and what was recorded.
type scene struct {
	t      *testing.T
	direct string // address of the server
	url    string // address of the proxy
	front  *Front
	stop   func()
	spoil  func(*Front) // before it serves

	mu     sync.Mutex
	events []umpire.Event
	said   []string
}

func stage(t *testing.T, server http.Handler) *scene {
	t.Helper()
	s := &scene{t: t}
	up := httptest.NewServer(server)
	t.Cleanup(up.Close)
	t.Cleanup(up.CloseClientConnections)
	s.direct = up.URL
	s.inFrontOf(up.URL)
	return s
}

func (s *scene) inFrontOf(upstream string) {
	s.t.Helper()
	w := mcpwire.New(mcpwire.Config{Transport: "http", Record: func(e umpire.Event) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e.Kind != "catalog" && e.Kind != "session" {
			s.events = append(s.events, e)
		}
	}})
	front, err := NewFront(upstream, w, nil, func(line string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.said = append(s.said, line)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if s.spoil != nil {
		s.spoil(front)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- front.serve(ctx, listener) }()
	s.url, s.front = "http://"+listener.Addr().String(), front
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
		front.Close(time.Minute)
	})
	s.t.Cleanup(s.stop)
}

// seen waits until as many events were recorded, and a little longer for one more.
func (s *scene) seen(n int) []umpire.Event {
	s.t.Helper()
	for i := 0; ; i++ {
		s.mu.Lock()
		events := slices.Clone(s.events)
		s.mu.Unlock()
		if len(events) > n || i > 6000 {
			s.t.Fatalf("%d events, want %d: %+v", len(events), n, events)
		}
		if len(events) == n && i >= 5 {
			return events
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// verdict is what matters here of an event.
func verdict(e umpire.Event) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", e.Kind, e.Tool, e.Outcome, e.Cause))
}

func request(t *testing.T, method, address, body string, header ...string) *http.Request {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// exchangeWith sends a request and reads the answer to its end.
func exchangeWith(t *testing.T, req *http.Request) (*http.Response, []byte) {
	t.Helper()
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		body = append(body, "\n"+err.Error()...)
	}
	return res, body
}

// client follows nothing and takes off no coding.
var client = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func call(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":1}}}`, id, tool)
}

func answer(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

const refusedAnswer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such book"}],"isError":true}}`

func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

// answering is a server that always answers so, once it has read the request.
func answering(status int, body []byte, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; i < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

const (
	asJSON   = "application/json"
	asEvents = "text/event-stream"
)

// What a client gets is the same with and without the proxy, and each call makes
// one event.
func TestAnswers(t *testing.T) {
	long := strings.Repeat("x", 9<<20)
	cases := []struct {
		name   string
		server http.HandlerFunc
		ask    string
		header []string
		want   string // "" for no event
	}{
		{"JSON", answering(200, []byte(answer(1, "a book")), "Content-Type", asJSON), call(1, "find"), nil, "call find ok"},
		{"a refusal", answering(200, []byte(refusedAnswer), "Content-Type", asJSON), call(1, "find"), nil, "call find tool_error result"},
		{"a slash escaped", answering(200, []byte(answer(1, "a book")), "Content-Type", asJSON), strings.Replace(call(1, "find"), "tools/call", `tools\/call`, 1), nil, "call find ok"},
		{"events", answering(200, []byte(": hi\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nevent: message\ndata: "+answer(1, "x")+"\n\n"), "Content-Type", asEvents), call(1, "find"), nil, "call find ok"},
		{"an answer of 9 MB", answering(200, []byte(answer(1, long)), "Content-Type", asJSON), call(1, "find"), nil, "call find ok"},
		{"a request of 9 MB", answering(200, []byte(answer(1, "x")), "Content-Type", asJSON), strings.Replace(call(1, "find"), `"n":1`, `"n":"`+long+`"`, 1), nil, "call find ok"},
		{"gzip", answering(200, zipped(answer(1, "x")), "Content-Type", asJSON, "Content-Encoding", "gzip"), call(1, "find"), []string{"Accept-Encoding", "gzip, br"}, "call find ok"},
		{"half a gzip", answering(200, zipped(answer(1, "x"))[:20], "Content-Type", asJSON, "Content-Encoding", "gzip"), call(1, "find"), nil, ""},
		{"a coding that is unknown", answering(200, []byte("zzz"), "Content-Type", asJSON, "Content-Encoding", "br"), call(1, "find"), []string{"Accept-Encoding", "br"}, ""},
		{"OAuth", answering(401, []byte("{}"), "Content-Type", asJSON, "WWW-Authenticate", `Bearer resource_metadata="https://x/.well-known/oauth"`), call(1, "find"), nil, ""},
		{"forbidden", answering(403, nil), call(1, "find"), nil, ""},
		{"not acceptable", answering(406, []byte("no")), call(1, "find"), nil, ""},
		{"too many", answering(429, []byte("slow down"), "Retry-After", "3"), call(1, "find"), nil, ""},
		{"an error of the protocol, id null", answering(400, []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"Invalid params"}}`), "Content-Type", asJSON), call(1, "find"), nil, "call find bad_args invalid_params"},
		{"a server's failure", answering(500, []byte("oops")), call(1, "find"), nil, "call find crashed no_reply"},
		{"no answer in it", answering(200, []byte("<html>"), "Content-Type", "text/html"), call(1, "find"), nil, "call find crashed no_reply"},
		{"events without the answer", answering(200, []byte("data: {}\n\n"), "Content-Type", asEvents), call(1, "find"), nil, "call find crashed no_reply"},
		{"a redirect", answering(307, nil, "Location", "/elsewhere"), call(1, "find"), nil, ""},
		{"too many, in JSON", answering(429, []byte(`{"error":"rate limited"}`), "Content-Type", asJSON), call(1, "find"), nil, ""},
		{"a server's failure, in JSON", answering(502, []byte(`{"error":{"code":502,"message":"bad gateway"}}`), "Content-Type", asJSON), call(1, "find"), nil, "call find crashed no_reply"},
		{"no call", answering(200, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), "Content-Type", asJSON), `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nil, ""},
		{"no JSON", answering(200, []byte{0, 1, 2, 255}), "tools/call \x00\xff", nil, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := stage(t, c.server)
			direct, want := exchangeWith(t, request(t, "POST", s.direct+"/mcp", c.ask, c.header...))
			proxied, got := exchangeWith(t, request(t, "POST", s.url+"/mcp", c.ask, c.header...))
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes %.200q, want %d bytes %.200q", len(got), got, len(want), want)
			}
			sameHead(t, proxied, direct)
			var verdicts []string
			if c.want != "" {
				verdicts = []string{c.want}
			}
			s.check(verdicts...)
		})
	}
}

func sameHead(t *testing.T, got, want *http.Response) {
	t.Helper()
	got.Header.Del("Date")
	want.Header.Del("Date")
	if got.StatusCode != want.StatusCode || fmt.Sprint(got.Header) != fmt.Sprint(want.Header) {
		t.Errorf("head %d %v, want %d %v", got.StatusCode, got.Header, want.StatusCode, want.Header)
	}
}

func (s *scene) check(want ...string) {
	s.t.Helper()
	var got []string
	for _, e := range s.seen(len(want)) {
		got = append(got, verdict(e))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("recorded %q, want %q", got, want)
	}
}

// The server is told the id of the event, and never one that the client made up.
func TestCallHeader(t *testing.T) {
	ids := make(chan string, 10)
	s := stage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids <- r.Header.Get("Umpire-Call")
		answering(200, []byte(answer(1, "x")), "Content-Type", asJSON)(w, r)
	}))
	forged := []string{"Umpire-Call", umpire.NewID().String()}
	exchangeWith(t, request(t, "POST", s.url, call(1, "find"), forged...))
	if id, e := <-ids, s.seen(1)[0]; id != e.ID.String() {
		t.Errorf("the server was told %q, the event is %s", id, e.ID)
	}
	exchangeWith(t, request(t, "POST", s.url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, forged...))
	if id := <-ids; id != "" {
		t.Errorf("a ping bears the id %q", id)
	}
	exchangeWith(t, request(t, "POST", s.url, "["+call(1, "a")+","+call(2, "b")+"]", forged...))
	if id := <-ids; id != "" {
		t.Errorf("a batch bears the id %q", id)
	}
}

func TestWhatTheServerSees(t *testing.T) {
	cases := []struct{ name, base, path, want string }{
		{"an endpoint, asked at the root", "/mcp", "/", "/mcp"},
		{"an endpoint, asked by its path", "/mcp", "/mcp", "/mcp"},
		{"what lies beside the endpoint", "/mcp", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource"},
		{"a prefix", "/team/", "/mcp?x=1", "/team/mcp?x=1"},
		{"no path", "", "/a%2Fb/?q=%20", "/a%2Fb/?q=%20"},
		{"a query of its own", "/mcp?key=1", "/?x=2", "/mcp?key=1&x=2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := make(chan *http.Request, 1)
			up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r }))
			defer up.Close()
			s := &scene{t: t}
			s.inFrontOf(up.URL + c.base)
			exchangeWith(t, request(t, "GET", s.url+c.path, "", "X-Forwarded-For", "10.0.0.1", "Authorization", "Bearer t", "Accept-Encoding", "br, gzip;q=0.5, deflate"))
			r := <-got
			proxy := strings.TrimPrefix(s.url, "http://")
			for what, pair := range map[string][2]string{
				"address":           {r.RequestURI, c.want},
				"Host":              {"http://" + r.Host, up.URL},
				"X-Forwarded-Host":  {r.Header.Get("X-Forwarded-Host"), proxy},
				"X-Forwarded-For":   {r.Header.Get("X-Forwarded-For"), "10.0.0.1, 127.0.0.1"},
				"X-Forwarded-Proto": {r.Header.Get("X-Forwarded-Proto"), "http"},
				"Authorization":     {r.Header.Get("Authorization"), "Bearer t"},
				"Accept-Encoding":   {r.Header.Get("Accept-Encoding"), "gzip;q=0.5"},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s is %q, want %q", what, pair[0], pair[1])
				}
			}
		})
	}
}

func TestBrokenAnswers(t *testing.T) {
	abort := func(head, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", head)
			_, _ = io.WriteString(w, body)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	for _, c := range []struct {
		name, kind, body string
		want             []string
	}{
		{"half a body", asJSON, answer(1, "x")[:20], []string{"call find crashed no_reply"}},
		{"half an event", asEvents, "data: " + answer(1, "x")[:20], []string{"call find crashed no_reply"}},
		{"the whole event, and then the end", asEvents, "data: " + answer(1, "x") + "\n\n", []string{"call find ok"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := stage(t, abort(c.kind, c.body))
			_, want := exchangeWith(t, request(t, "POST", s.direct, call(1, "find")))
			_, got := exchangeWith(t, request(t, "POST", s.url, call(1, "find")))
			if !bytes.Equal(got, want) {
				t.Errorf("the client sees %q, want %q", got, want)
			}
			s.check(c.want...)
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		gone := "http://" + away.Address(t)
		s := &scene{t: t}
		s.inFrontOf(gone)
		res, body := exchangeWith(t, request(t, "POST", s.url, call(1, "find")))
		if res.StatusCode != 502 || !bytes.Contains(body, []byte(gone)) {
			t.Errorf("%d %s", res.StatusCode, body)
		}
		s.check("call find crashed no_reply")
	})
}

// gate is a server whose answers wait for the test.
type gate struct {
	t    *testing.T
	asks chan *ask
}

type ask struct {
	r    *http.Request
	body string
	w    http.ResponseWriter
	done chan struct{}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a := &ask{r, string(body), w, make(chan struct{})}
	g.asks <- a
	select {
	case <-a.done:
	case <-r.Context().Done():
	}
}

func (a *ask) write(text string) {
	_, _ = io.WriteString(a.w, text)
	_ = http.NewResponseController(a.w).Flush()
}

// begin sends a request whose answer is still open.
func (s *scene) begin(ctx context.Context, g *gate, method, body string, header ...string) (*ask, <-chan *http.Response) {
	s.t.Helper()
	got := make(chan *http.Response, 1)
	req := request(s.t, method, s.url, body, header...).WithContext(ctx)
	go func() {
		res, err := client.Do(req) //nolint:bodyclose // by who takes it
		if err == nil {
			got <- res
		}
		close(got)
	}()
	return <-g.asks, got
}

// An event reaches the client when the server sends it, not when the next comes.
func TestEventsAreNotHeldBack(t *testing.T) {
	g := &gate{t, make(chan *ask)}
	s := stage(t, g)
	a, got := s.begin(t.Context(), g, "POST", call(1, "find"))
	a.w.Header().Set("Content-Type", asEvents)
	a.write(": here\n\n")
	res := <-got
	defer res.Body.Close()
	for i := range 3 {
		piece := fmt.Sprintf("data: {\"n\":%d}\n\n", i)
		a.write(piece)
		for text := ""; !strings.HasSuffix(text, piece); { // what came before may come by itself
			buffer := make([]byte, 100)
			n, err := res.Body.Read(buffer)
			if text += string(buffer[:n]); err != nil {
				t.Fatalf("%q, %v", text, err)
			}
		}
	}
	close(a.done)
}

func TestClientsThatLeave(t *testing.T) {
	for _, c := range []struct {
		protocol string
		want     string
	}{
		{"2026-07-28", "cancelled find"},
		{"2025-06-18", "cancelled find"}, // nobody can answer it any more
	} {
		t.Run(c.protocol, func(t *testing.T) {
			g := &gate{t, make(chan *ask)}
			s := stage(t, g)
			ctx, leave := context.WithCancel(t.Context())
			a, got := s.begin(ctx, g, "POST", call(1, "find"), "Mcp-Protocol-Version", c.protocol)
			leave()
			<-got
			select {
			case <-a.r.Context().Done(): // the server hears of it
			case <-time.After(time.Minute):
				t.Error("the server does not learn that the client has left")
			}
			s.check(c.want)
		})
	}
}

// Two clients without sessions may use one id at once.
func TestNoSessionsAndOneID(t *testing.T) {
	g := &gate{t, make(chan *ask)}
	s := stage(t, g)
	var asks []*ask
	var replies []<-chan *http.Response
	for _, tool := range []string{"a", "b", "c"} {
		a, got := s.begin(t.Context(), g, "POST", call(1, tool))
		asks, replies = append(asks, a), append(replies, got)
	}
	for i := range asks {
		a := asks[len(asks)-1-i]
		a.w.Header().Set("Content-Type", asJSON)
		if strings.Contains(a.body, `"b"`) {
			a.write(refusedAnswer)
		} else {
			a.write(answer(1, "x"))
		}
		close(a.done)
	}
	for _, got := range replies {
		res := <-got
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	var verdicts []string
	for _, e := range s.seen(3) {
		verdicts = append(verdicts, verdict(e))
	}
	slices.Sort(verdicts)
	if want := []string{"call a ok", "call b tool_error result", "call c ok"}; !slices.Equal(verdicts, want) {
		t.Errorf("%q, want %q", verdicts, want)
	}
}

const session = "Mcp-Session-Id"

// handshake opens a session s1.
func (s *scene) handshake(g *gate) {
	s.t.Helper()
	a, got := s.begin(s.t.Context(), g, "POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"cli","version":"3"}}}`)
	a.w.Header().Set("Content-Type", asJSON)
	a.w.Header().Set(session, "s1")
	a.write(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"shop","version":"1"}}}`)
	close(a.done)
	res := <-got
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}

func drain(res *http.Response) {
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
}

func TestAnswersOnAnotherStream(t *testing.T) {
	t.Run("a stream that is resumed", func(t *testing.T) {
		g := &gate{t, make(chan *ask)}
		s := stage(t, g)
		s.handshake(g)
		a, got := s.begin(t.Context(), g, "POST", call(7, "find"), session, "s1")
		a.w.Header().Set("Content-Type", asEvents)
		a.write("id: 1\ndata: {}\n\n")
		close(a.done)
		drain(<-got)
		s.seen(0)
		b, got := s.begin(t.Context(), g, "GET", "", session, "s1", "Last-Event-Id", "1")
		b.w.Header().Set("Content-Type", asEvents)
		b.write("id: 2\ndata: " + answer(7, "x") + "\n\n")
		close(b.done)
		drain(<-got)
		e := s.seen(1)[0]
		if verdict(e) != "call find ok" || e.Client.Name != "cli" || e.Server.Name != "shop" {
			t.Errorf("%s, client %q, server %q", verdict(e), e.Client.Name, e.Server.Name)
		}
	})
	t.Run("a stream that the server no more resumes", func(t *testing.T) {
		g := &gate{t, make(chan *ask)}
		s := stage(t, g)
		s.handshake(g)
		a, got := s.begin(t.Context(), g, "POST", call(7, "find"), session, "s1")
		a.w.Header().Set("Content-Type", asEvents)
		a.write("id: 1\ndata: {}\n\n")
		close(a.done)
		drain(<-got)
		b, got := s.begin(t.Context(), g, "GET", "", session, "s1", "Last-Event-Id", "1")
		b.w.WriteHeader(http.StatusBadRequest)
		close(b.done)
		drain(<-got)
		s.check("call find crashed no_reply")
	})
	t.Run("the stream that listens", func(t *testing.T) {
		g := &gate{t, make(chan *ask)}
		s := stage(t, g)
		s.handshake(g)
		listens, stream := s.begin(t.Context(), g, "GET", "", session, "s1")
		listens.w.Header().Set("Content-Type", asEvents)
		listens.write(": \n\n")
		a, got := s.begin(t.Context(), g, "POST", call(7, "find"), session, "s1")
		a.w.WriteHeader(http.StatusAccepted)
		close(a.done)
		drain(<-got)
		listens.write("data: " + answer(7, "x") + "\n\n")
		s.check("call find ok")
		close(listens.done)
		drain(<-stream)
	})
	t.Run("the session ends first", func(t *testing.T) {
		g := &gate{t, make(chan *ask)}
		s := stage(t, g)
		s.handshake(g)
		a, got := s.begin(t.Context(), g, "POST", call(7, "find"), session, "s1")
		a.w.WriteHeader(http.StatusAccepted)
		close(a.done)
		drain(<-got)
		d, got := s.begin(t.Context(), g, "DELETE", "", session, "s1")
		close(d.done)
		drain(<-got)
		s.check("call find crashed no_reply")
	})
	t.Run("the older transport", func(t *testing.T) {
		g := &gate{t, make(chan *ask)}
		s := stage(t, g)
		listens, stream := s.begin(t.Context(), g, "GET", "")
		listens.w.Header().Set("Content-Type", asEvents)
		listens.write("event: endpoint\ndata: /messages?sessionId=old\n\n")
		address := s.url
		s.url += "/messages?sessionId=old"
		a, got := s.begin(t.Context(), g, "POST", call(7, "find"))
		s.url = address
		a.w.WriteHeader(http.StatusAccepted)
		close(a.done)
		drain(<-got)
		listens.write("event: message\ndata: " + answer(7, "x") + "\n\n")
		s.check("call find ok")
		close(listens.done)
		drain(<-stream)
	})
}

// A bug of ours at any place is said, and nothing else happens.
func TestFrontSurvivesPanics(t *testing.T) {
	for name, spoil := range map[string]func(*Front){
		"before the request": func(f *Front) { f.watch = &sessions{say: f.watch.say} }, // without a watcher
		"behind the queue": func(f *Front) {
			f.feed.put(f.watch, func(Tap, []byte, time.Time) { f.watch.streams, f.watch.orphans = nil, nil }, nil, time.Now())
		},
		"beside it": func(f *Front) { f.feed.put(mad{}, toldClient, nil, time.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			up := httptest.NewServer(answering(200, []byte("data: "+answer(1, "x")+"\n\n"), "Content-Type", asEvents, session, "s1"))
			defer up.Close()
			s := &scene{t: t, spoil: spoil}
			s.inFrontOf(up.URL)
			for range 10 {
				res, body := exchangeWith(t, request(t, "POST", s.url, call(1, "find")))
				if res.StatusCode != 200 || string(body) != "data: "+answer(1, "x")+"\n\n" {
					t.Errorf("%d %s", res.StatusCode, body)
				}
			}
			s.stop()
			if len(s.said) == 0 || !strings.Contains(s.said[0], "a bug of Umpire") {
				t.Errorf("said %q", s.said)
			}
		})
	}
}

// A name that is not the proxy's own reaches a server on this machine as it is,
// and no other server at all.
func TestForeignNames(t *testing.T) {
	hosts := make(chan string, 1)
	s := stage(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { hosts <- r.Host }))
	s.front.hosts = []string{"localhost", "127.0.0.1", "::1", "mcp.example.com"}
	own := strings.TrimPrefix(s.direct, "http://")
	for host, want := range map[string]string{"evil.example": "evil.example", "MCP.example.com:1": own, "[::1]:9": own, "localhost.": own} {
		req := request(t, "GET", s.url, "")
		req.Host = host
		s.front.target.local = true
		res, _ := exchangeWith(t, req)
		if got := <-hosts; res.StatusCode != 200 || got != want {
			t.Errorf("%s: %d, the server sees %q, want %q", host, res.StatusCode, got, want)
		}
		s.front.target.local = false
		if res, _ := exchangeWith(t, req); (res.StatusCode == 403) != (want != own) {
			t.Errorf("%s, another machine's server: %d", host, res.StatusCode)
		}
		select {
		case <-hosts:
		default:
		}
	}
}

// Told to end, the proxy lets what is under way end, and waits for no stream on
// which a client only listens.
func TestGracefulEnd(t *testing.T) {
	g := &gate{t, make(chan *ask)}
	s := stage(t, g)
	listens, stream := s.begin(t.Context(), g, "GET", "")
	listens.w.Header().Set("Content-Type", asEvents)
	listens.write(": \n\n")
	a, got := s.begin(t.Context(), g, "POST", call(1, "find"))
	ended := make(chan struct{})
	go func() { s.stop(); close(ended) }()
	drain(<-stream)
	a.w.Header().Set("Content-Type", asJSON)
	a.write(answer(1, "x"))
	close(a.done)
	res := <-got
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if string(body) != answer(1, "x") || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	<-ended
	s.check("call find ok")
}

// No header of a request or an answer is in an event.
func TestNoHeaderIsRecorded(t *testing.T) {
	s := stage(t, answering(200, []byte(answer(1, "x")), "Content-Type", asJSON, "X-Secret", "hunter2"))
	exchangeWith(t, request(t, "POST", s.url, call(1, "find"), "Authorization", "Bearer hunter2", "Cookie", "c=hunter2", "Mcp-Param-Region", "hunter2"))
	text, err := json.Marshal(s.seen(1)[0])
	if err != nil || bytes.Contains(text, []byte("hunter2")) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestCancelledBeforeTheServerKnows: a server that answers a call the moment it
// is cancelled answers too late, however slowly the cancellation itself is
// answered.
func TestCancelledBeforeTheServerKnows(t *testing.T) {
	called, cancelled, answered := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := stage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Mcp-Session-Id", "s1")
		if bytes.Contains(body, []byte("notifications/cancelled")) {
			close(cancelled)
			<-answered
			w.WriteHeader(http.StatusAccepted)
			return
		}
		close(called)
		<-cancelled
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answer(1, "too late"))
	}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-called
		exchangeWith(t, request(t, http.MethodPost, s.url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "Mcp-Session-Id", "s1"))
	}()
	exchangeWith(t, request(t, http.MethodPost, s.url, call(1, "slow"), "Mcp-Session-Id", "s1"))
	events := s.seen(1)
	close(answered)
	<-done
	if got := verdict(events[0]); got != "cancelled slow" || !events[0].Late {
		t.Errorf("%s, late %v", got, events[0].Late)
	}
}

// A server that sends its clients to another path of its own names itself: they
// would go past the proxy, or to an address that only the proxy reaches.
func TestRedirectsComeBack(t *testing.T) {
	for _, c := range []struct{ upstream, location, want string }{
		{"http://orders:3000/mcp", "http://orders:3000/mcp/", "/mcp/"},
		{"http://orders:3000/mcp", "http://Orders:3000/a%2Fb?x=1&y#z", "/a%2Fb?x=1&y#z"},
		{"http://orders:3000/mcp", "/mcp/", "/mcp/"},
		{"http://orders:3000/mcp", "https://orders:3000/mcp/", "https://orders:3000/mcp/"},
		{"http://orders:3000/mcp", "http://login:3000/mcp/", "http://login:3000/mcp/"},
		{"http://orders:3000/mcp", "http://orders:3000", "http://orders:3000"},
		{"http://orders:3000/mcp", "http://orders:3000//evil.example/", "http://orders:3000//evil.example/"},
		{"http://orders:3000/team/", "http://orders:3000/team/mcp/", "/mcp/"},
		{"http://orders:3000/team/", "http://orders:3000/login", "http://orders:3000/login"},
		{"http://orders:3000/team/", "http://orders:3000/team//evil.example/", "http://orders:3000/team//evil.example/"},
		{"http://orders:3000/mcp", "http://[::1", "http://[::1"},
	} {
		to, err := newTarget(c.upstream)
		if err != nil {
			t.Fatal(err)
		}
		if got := to.back(c.location); got != c.want {
			t.Errorf("%s, of %s: %q, want %q", c.location, c.upstream, got, c.want)
		}
	}
	s := stage(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			w.Header().Set("Location", "http://"+r.Host+"/mcp/")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		answering(200, []byte(answer(1, "x")), "Content-Type", asJSON)(w, r)
	}))
	res, err := http.DefaultClient.Do(request(t, "POST", s.url+"/mcp", call(1, "find")))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != answer(1, "x") || res.Request.URL.String() != s.url+"/mcp/" {
		t.Errorf("%s from %s", body, res.Request.URL)
	}
	s.check("call find ok")
}

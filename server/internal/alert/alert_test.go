package alert_test

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/alert"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/web/webtest"
)

var start = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// book is a Book in memory; two engines may share it, as two nodes do a database.
type book struct {
	mu     sync.Mutex
	rules  []alert.Rule
	states map[string][]byte
	muted  map[string]time.Time
	holder string
	until  time.Time
}

func newBook(rules ...alert.Rule) *book {
	return &book{rules: rules, states: map[string][]byte{}, muted: map[string]time.Time{}}
}

func (b *book) Rules(context.Context) ([]alert.Rule, error) { return b.rules, nil }

func (b *book) ProjectID(name string) (uint32, bool) { return 1, name == "shop" }

func (b *book) State(_ context.Context, key string) ([]byte, time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.states[key], b.muted[key], nil
}

func (b *book) SaveState(_ context.Context, key string, body []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.states[key] = body
	return nil
}

func (b *book) Lease(_ context.Context, holder string, now, until time.Time) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holder != holder && b.until.After(now) {
		return false, nil
	}
	b.holder, b.until = holder, until
	return true, nil
}

// receiver is a webhook that keeps what it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	signed int // of all that came, those whose signature is right
	status int // of every answer; 0 is 200
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.status != 0 {
			w.WriteHeader(r.status)
			return
		}
		r.bodies = append(r.bodies, string(body))
		stamp, _, _ := strings.Cut(strings.TrimPrefix(req.Header.Get("Umpire-Signature"), "t="), ",")
		if n, err := strconv.ParseInt(stamp, 10, 64); err == nil && req.Header.Get("Umpire-Signature") == alert.Sign("s3cret", time.Unix(n, 0), body) {
			r.signed++
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// told takes the messages that came since.
func (r *receiver) told(t *testing.T) []alert.Message {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []alert.Message
	for _, body := range r.bodies {
		var m alert.Message
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatal(err, body)
		}
		all = append(all, m)
	}
	r.bodies = nil
	return all
}

func engine(t *testing.T, src query.Source, b *book, more ...func(*alert.Options)) *alert.Engine {
	t.Helper()
	opt := alert.Options{Source: src, Book: b, Address: "https://umpire.example.com/u/", Secret: "s3cret", Log: slog.New(slog.DiscardHandler)}
	for _, m := range more {
		m(&opt)
	}
	e, err := alert.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// calls adds so many calls, spread over the minute after at.
func calls(m *webtest.Memory, at time.Time, n int, slice string, us int64) {
	for i := range n {
		c := webtest.Call{At: at.Add(time.Duration(i) * time.Minute / time.Duration(n)), Tool: "find", Client: "cursor", Slice: slice, US: us, Session: fmt.Sprint(at, i)}
		if slice != "ok" && slice != "empty" {
			c.Fingerprint, c.Cause = "f-"+slice, "returned"
		}
		m.Calls = append(m.Calls, c)
	}
}

func TestOneMessageAnIncident(t *testing.T) {
	for _, tt := range []struct {
		rule alert.Rule
		// bad and good are calls of a minute in which it is wrong and well.
		bad, good func(*webtest.Memory, time.Time)
		title     string
	}{
		{
			alert.Rule{Kind: alert.ErrorRate, Above: "10%"},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 20, "ok", 9); calls(m, at, 5, "tool_error", 9) },
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "ok", 9) }, "error rate ",
		},
		{
			alert.Rule{Kind: alert.EmptyRate, Above: "10%"},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 20, "ok", 9); calls(m, at, 5, "empty", 9) },
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "ok", 9) }, "empty rate ",
		},
		{
			alert.Rule{Kind: alert.SliceRate, Slice: "bad_args", Above: "10%"},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 20, "ok", 9); calls(m, at, 5, "bad_args", 9) },
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "tool_error", 9) }, "share of bad_args ",
		},
		{
			alert.Rule{Kind: alert.P95, Above: "1s"},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "ok", 3_000_000) },
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "ok", 1000) }, "p95 ",
		},
		{
			alert.Rule{Kind: alert.FirstCall, Below: "80%"},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 15, "ok", 9); calls(m, at, 10, "tool_error", 9) },
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "ok", 9) }, "first-call success ",
		},
		{
			alert.Rule{Kind: alert.Crash},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 2, "crashed", 9) },
			func(m *webtest.Memory, at time.Time) { calls(m, at, 2, "ok", 9) }, "crashes 2 of ",
		},
		{
			alert.Rule{Kind: alert.Silence, Window: "10m"},
			func(*webtest.Memory, time.Time) {},
			func(m *webtest.Memory, at time.Time) { calls(m, at, 25, "ok", 9) }, "no call for 10m, after",
		},
	} {
		t.Run(string(tt.rule.Kind), func(t *testing.T) {
			hook, m := newReceiver(t), &webtest.Memory{}
			rule := tt.rule
			rule.Name, rule.Project, rule.To = "one", "shop", []string{"webhook+" + hook.URL}
			if rule.Window == "" {
				rule.Window = "10m"
			}
			b := newBook(rule)
			e := engine(t, m, b)
			at := start
			run := func(minutes int, with func(*webtest.Memory, time.Time)) (all []alert.Message) {
				for range minutes {
					with(m, at)
					at = at.Add(time.Minute)
					e.Tick(t.Context(), at)
					e = engine(t, m, b) // a restart after each look changes nothing
					b.until = time.Time{}
					all = append(all, hook.told(t)...)
				}
				return all
			}
			if all := run(20, tt.good); len(all) != 0 {
				t.Fatalf("nothing is wrong, and it says %+v", all)
			}
			all := run(30, tt.bad)
			if len(all) != 1 || all[0].State != "firing" || !strings.HasPrefix(all[0].Title, "shop, one: "+tt.title) {
				t.Fatalf("one message when it begins: %+v", all)
			}
			if !strings.HasPrefix(all[0].Link, "https://umpire.example.com/u/p/shop/?from=2026-11-24T") {
				t.Errorf("link %s", all[0].Link)
			}
			begun := all[0]
			all = run(30, tt.good)
			if len(all) != 1 || all[0].State != "over" || !all[0].Since.Equal(*begun.Since) || all[0].ID == begun.ID {
				t.Fatalf("one message when it is over: %+v", all)
			}
			if all = run(30, tt.bad); len(all) != 1 || all[0].ID == begun.ID {
				t.Errorf("another incident: %+v", all)
			}
		})
	}
}

// A kind of failure that was never there is told once, and what changed meanwhile
// is said beside it.
func TestNewError(t *testing.T) {
	hook, m := newReceiver(t), &webtest.Memory{}
	b := newBook(alert.Rule{Name: "new", Project: "shop", Kind: alert.NewError, Window: "10m", To: []string{"webhook+" + hook.URL}})
	e, at := engine(t, m, b), start
	calls(m, start.AddDate(0, 0, -3), 5, "tool_error", 9)
	for range 60 {
		calls(m, at, 2, "tool_error", 9) // old
		if at.Sub(start) >= 20*time.Minute {
			calls(m, at, 1, "crashed", 9) // new
		}
		at = at.Add(time.Minute)
		e.Tick(t.Context(), at)
	}
	all := hook.told(t)
	if len(all) != 2 || all[0].State != "firing" || !strings.Contains(all[0].Title, "1 new kind of failure: find: crashed") || all[1].State != "over" {
		t.Errorf("%+v", all)
	}
}

// A figure that goes to and fro around the limit is one incident.
func TestHysteresis(t *testing.T) {
	hook, m := newReceiver(t), &webtest.Memory{}
	b := newBook(alert.Rule{Name: "a", Project: "shop", Kind: alert.ErrorRate, Above: "10%", Clear: "5%", Window: "5m", To: []string{"webhook+" + hook.URL}})
	e, at := engine(t, m, b), start
	for i := range 40 {
		failed := 11 - 2*(i%2*5)/5 // 11 or 9 of 100
		at = at.Add(5 * time.Minute)
		calls(m, at.Add(-2*time.Minute), 100-failed, "ok", 9)
		calls(m, at.Add(-2*time.Minute), failed, "tool_error", 9)
		e.Tick(t.Context(), at)
	}
	if all := hook.told(t); len(all) != 1 {
		t.Errorf("%d messages of one incident", len(all))
	}
	// Too few calls tell nothing, and end nothing, for a day.
	for range 24 {
		at = at.Add(time.Hour)
		e.Tick(t.Context(), at)
	}
	if all := hook.told(t); len(all) != 0 {
		t.Errorf("silence ended an incident: %+v", all)
	}
	at = at.Add(2 * time.Hour)
	e.Tick(t.Context(), at)
	if all := hook.told(t); len(all) != 1 || all[0].State != "over" || !strings.Contains(all[0].Title, "nothing can be told") {
		t.Errorf("after a day: %+v", all)
	}
}

func TestMuteAndTwoNodes(t *testing.T) {
	hook, m := newReceiver(t), &webtest.Memory{}
	b := newBook(alert.Rule{Name: "a", Project: "shop", Kind: alert.Crash, Window: "1h", To: []string{"webhook+" + hook.URL}})
	one, two := engine(t, m, b), engine(t, m, b)
	calls(m, start, 1, "crashed", 9)
	b.muted["1/a"] = start.Add(10 * time.Minute)
	for i := range 9 {
		at := start.Add(time.Duration(i+1) * time.Minute)
		one.Tick(t.Context(), at)
		two.Tick(t.Context(), at)
	}
	if all := hook.told(t); len(all) != 0 {
		t.Errorf("a muted alert speaks: %+v", all)
	}
	var wait sync.WaitGroup
	for i := range 10 {
		at := start.Add(time.Duration(i+10) * time.Minute)
		for _, e := range []*alert.Engine{one, two} {
			wait.Go(func() { e.Tick(t.Context(), at) })
		}
		wait.Wait()
	}
	if all := hook.told(t); len(all) != 1 {
		t.Errorf("two nodes sent %d messages once it was no longer muted", len(all))
	}
}

// What is not delivered is tried again, ever more rarely, over a restart, and in order.
func TestRetries(t *testing.T) {
	hook, m := newReceiver(t), &webtest.Memory{}
	b := newBook(alert.Rule{Name: "a", Project: "shop", Kind: alert.Crash, Window: "10m", To: []string{"webhook+" + hook.URL}})
	hook.answer(http.StatusBadGateway)
	calls(m, start, 1, "crashed", 9)
	at := start
	tick := func(minutes int) {
		for range minutes {
			at = at.Add(time.Minute)
			b.until = time.Time{}
			engine(t, m, b).Tick(t.Context(), at)
		}
	}
	tick(30)
	if all := hook.told(t); len(all) != 0 {
		t.Fatal(all)
	}
	hook.answer(0)
	tick(60)
	all := hook.told(t)
	if len(all) != 2 || all[0].State != "firing" || all[1].State != "over" {
		t.Errorf("after the receiver is back: %+v", all)
	}
	if hook.signed != 2 {
		t.Errorf("%d of 2 are signed", hook.signed)
	}
}

func TestSign(t *testing.T) {
	body := []byte(`{"a":1}`)
	at := time.Unix(1764000000, 0)
	mac := hmac.New(sha256.New, []byte("key"))
	mac.Write([]byte(`1764000000.{"a":1}`))
	if got, want := alert.Sign("key", at, body), "t=1764000000,v1="+hex.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Each kind of place is told for real.
func TestPlaces(t *testing.T) {
	hook, m := newReceiver(t), &webtest.Memory{}
	post := newPost(t)
	rule := alert.Rule{
		Name: "a <b> & @everyone", Project: "shop", Kind: alert.ErrorRate, Above: "1%", Tool: "find", Window: "1h",
		To: []string{"webhook+" + hook.URL + "/w", "slack+" + hook.URL + "/secret", "discord+" + hook.URL, "mailto:ops@example.com", "webhook+http://127.0.0.1:1/x"},
	}
	calls(m, time.Now().Add(-10*time.Minute), 25, "tool_error", 9)
	m.Changed = []store.ChangeRow{{At: time.Now().Add(-20 * time.Minute), Kind: store.ChangeVersion, Server: "orders", Name: "orders", Before: "1.0", Value: "1.1"}}
	e := engine(t, m, newBook(rule), func(o *alert.Options) {
		o.SMTP, o.MailRoots = "smtps://user:pass%21word@"+post.address+"?from=umpire@example.com", post.roots
	})
	results, err := e.Test(t.Context(), "", rule.Name)
	if err != nil {
		t.Fatal(err)
	}
	for to, failed := range results {
		if refused := strings.Contains(to, "127.0.0.1:1/"); refused != (failed != "") || strings.Contains(to+failed, "secret") {
			t.Errorf("%s: %q", to, failed)
		}
	}
	if len(hook.bodies) != 3 {
		t.Fatalf("%d bodies", len(hook.bodies))
	}
	var slack struct{ Text string }
	var discord struct {
		Content string
		Allowed map[string][]string `json:"allowed_mentions"`
	}
	for _, body := range hook.bodies {
		switch {
		case strings.Contains(body, `"text"`):
			_ = json.Unmarshal([]byte(body), &slack)
		case strings.Contains(body, `"content"`):
			_ = json.Unmarshal([]byte(body), &discord)
		}
	}
	if !strings.Contains(slack.Text, "a &lt;b&gt; &amp; @everyone: error rate 100.0% of 25 calls") || !strings.Contains(slack.Text, "|Open in Umpire>") {
		t.Errorf("Slack: %q", slack.Text)
	}
	if !strings.Contains(discord.Content, "In this window: the version of orders went from 1.0 to 1.1 at ") {
		t.Errorf("a change is not said: %q", discord.Content)
	}
	if !strings.Contains(discord.Content, "100.0% of 25 calls") || discord.Allowed["parse"] == nil || len(discord.Allowed["parse"]) != 0 {
		t.Errorf("Discord: %+v", discord)
	}
	letter := post.letter(t)
	for _, want := range []string{"AUTH", "MAIL FROM:<umpire@example.com>", "RCPT TO:<ops@example.com>", "Subject: ", "error rate 100.0% of 25 calls", "/p/shop/?from"} {
		if !strings.Contains(letter, want) {
			t.Errorf("the e-mail has no %q:\n%s", want, letter)
		}
	}
}

// post is a mail server with TLS from the first byte that keeps what it hears.
type post struct {
	address string
	roots   *x509.CertPool
	heard   chan string
}

func newPost(t *testing.T) *post {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &post{address: l.Addr().String(), roots: roots, heard: make(chan string, 1)}
	go func() {
		conn, err := l.Accept()
		if err == nil {
			p.heard <- talk(conn)
		}
	}()
	return p
}

// talk is the server's half of SMTP; it returns all that the client said.
func talk(conn net.Conn) string {
	defer conn.Close()
	var heard strings.Builder
	in := textproto.NewReader(bufio.NewReader(conn))
	say := func(s string) { fmt.Fprint(conn, s+"\r\n") }
	say("220 post")
	for {
		line, err := in.ReadLine()
		if err != nil {
			return heard.String()
		}
		heard.WriteString(line + "\n")
		switch verb, _, _ := strings.Cut(line, " "); verb {
		case "EHLO":
			say("250-post\r\n250 AUTH PLAIN")
		case "AUTH":
			say("235 fine")
		case "DATA":
			say("354 go on")
			text, _ := in.ReadDotBytes()
			heard.Write(text)
			say("250 kept")
		case "QUIT":
			say("221 bye")
			return heard.String()
		default:
			say("250 fine")
		}
	}
}

func (p *post) letter(t *testing.T) string {
	t.Helper()
	select {
	case text := <-p.heard:
		return strings.ReplaceAll(strings.ReplaceAll(text, "=\n", ""), "=3D", "=")
	case <-time.After(time.Minute):
		t.Fatal("no e-mail came")
		return ""
	}
}

func TestDigest(t *testing.T) {
	hook, m := newReceiver(t), &webtest.Memory{}
	b := newBook(alert.Rule{Name: "week", Project: "shop", Kind: alert.Digest, To: []string{"webhook+" + hook.URL}})
	calls(m, start, 70, "ok", 9)
	calls(m, start, 30, "bad_args", 9)
	e := engine(t, m, b)
	for at := start; at.Before(start.AddDate(0, 0, 9)); at = at.Add(30 * time.Minute) {
		e.Tick(t.Context(), at)
	}
	all := hook.told(t)
	if len(all) != 2 { // Tuesday the 24th makes Monday's up, then Monday the 30th
		t.Fatalf("%d digests: %+v", len(all), all)
	}
	if m := all[1]; m.State != "digest" || !strings.Contains(m.Title, "the week to 2026-11-30: 100 calls, 30.0% failed") || m.Calls != 100 {
		t.Errorf("%+v", m)
	}
}

// TestDigestKeepsMutes: what the project's people muted is not told by the digest
// either, and what they set is by which it counts.
func TestDigestKeepsMutes(t *testing.T) {
	for name, tt := range map[string]struct {
		muted []query.Mute
		told  bool
	}{"nothing muted": {nil, true}, "muted": {[]query.Mute{{Tool: "find"}}, false}} {
		t.Run(name, func(t *testing.T) {
			hook, m := newReceiver(t), &webtest.Memory{}
			b := newBook(alert.Rule{Name: "week", Project: "shop", Kind: alert.Digest, To: []string{"webhook+" + hook.URL}})
			calls(m, start, 50, "ok", 9)
			calls(m, start, 50, "empty", 9)
			e := engine(t, m, b, func(o *alert.Options) {
				o.Prefs = func(uint32) query.Prefs { return query.Prefs{Muted: tt.muted} }
			})
			for at := start; at.Before(start.AddDate(0, 0, 9)); at = at.Add(6 * time.Hour) {
				e.Tick(t.Context(), at)
			}
			all := hook.told(t)
			if len(all) == 0 {
				t.Fatal("no digest")
			}
			// The first lines are the week's figures; insights follow.
			said := strings.Join(all[len(all)-1].Lines, "\n")
			if told := strings.Contains(said, "find: "); told != tt.told {
				t.Errorf("insights told: %v, want %v:\n%s", told, tt.told, said)
			}
		})
	}
}

func TestRulesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		`alerts: [{name: a, project: shop, kind: errors, to: ["mailto:a@b.c"]}]`:                           "no kind",
		`alerts: [{name: a, project: shop, kind: crash}]`:                                                  "tells nobody",
		`alerts: [{name: a, project: shop, kind: crash, to: ["https://x"]}]`:                               "how",
		`alerts: [{name: a, project: shop, kind: crash, to: ["slack+ftp://x"]}]`:                           "no address",
		`alerts: [{name: a, project: shop, kind: crash, to: ["mailto:x"]}]`:                                "no e-mail address",
		`alerts: [{name: a, project: shop, kind: error_rate, to: ["mailto:a@b.c"]}]`:                       "limit",
		`alerts: [{name: a, project: shop, kind: error_rate, above: 5, to: ["mailto:a@b.c"]}]`:             "limit",
		`alerts: [{name: a, project: shop, kind: error_rate, below: 5%, to: ["mailto:a@b.c"]}]`:            "mixed up",
		`alerts: [{name: a, project: shop, kind: error_rate, above: 5%, clear: 6%, to: ["mailto:a@b.c"]}]`: "wrong side",
		`alerts: [{name: a, project: shop, kind: slice, slice: good, above: 5%, to: ["mailto:a@b.c"]}]`:    "no slice",
		`alerts: [{name: a, project: shop, kind: p95, above: 5%, to: ["mailto:a@b.c"]}]`:                   "limit",
		`alerts: [{name: a, project: shop, kind: crash, window: 1m, to: ["mailto:a@b.c"]}]`:                "window",
		`alerts: [{name: a, project: shop, kind: silence, above: 1, to: ["mailto:a@b.c"]}]`:                "no limit",
		`alerts: [{name: a, kind: crash, to: ["mailto:a@b.c"]}]`:                                           "no project",
		`alerts: [{name: a, project: shop, kind: crash, to: ["mailto:a@b.c"], tol: x}]`:                    "tol",
		`alerts: [{name: "a\nb", project: shop, kind: crash, to: ["mailto:a@b.c"]}]`:                       "name",
		`{`: "cannot be read",
	} {
		if _, err := alert.ReadFile([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	rules, err := alert.ReadFile([]byte("alerts:\n- name: a\n  project: shop\n  kind: error_rate\n  above: 5%\n  to: [\"mailto:a@b.c\", \"slack+https://hooks.example.com/T/secret\"]\n"))
	if err != nil || len(rules) != 1 || rules[0].Window != "1h" || rules[0].MinCalls != query.MinCalls {
		t.Fatalf("%+v %v", rules, err)
	}
	if to := strings.Join(rules[0].Hidden(), " "); strings.Contains(to, "secret") {
		t.Error(to)
	}
}

package generate

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/umpire-mcp/umpire"
)

// session is one visit of one client.
type session struct {
	project int
	client  int
	name    string
	user    string
	version string
	at      time.Time // of the next event
	left    int
	begun   bool
	retry   int // the tool to be tried again; -1: none
}

// release is what lists its tools anew.
type release struct {
	project int
	version string
}

// tool is how one tool behaves.
type tool struct {
	name      string
	median    float64 // of its duration, in microseconds
	badArgs   int     // of a hundred thousand calls
	toolError int
	crashed   int
	empty     int
	bytes     int
	param     string
	errorType string
	status    int
	message   string
}

var (
	verbs = []string{"search", "get", "list", "create", "update", "delete", "export", "check", "send", "count"}
	nouns = []string{"issues", "orders", "customers", "invoices", "files", "messages", "tickets", "builds", "pages", "events", "users", "metrics"}
	// names of clients as they are seen in handshakes; further ones are numbered.
	clientNames = []string{
		"claude-code", "cursor-vscode", "claude-ai", "Visual Studio Code", "codex-mcp-client", "openai-mcp", "windsurf-client",
		"gemini-cli-mcp-client", "mcp-inspector", "zed", "goose", "cline",
	}
	params   = []string{"/query", "/limit", "/id", "/status", "/from", "/filter/name", "/amount", "/email"}
	rules    = []string{"required", "type", "enum", "pattern", "range", "unknown_property"}
	refusals = []struct {
		name    string
		status  int
		message string
	}{
		{"not_found", 0, "there is no record %d"},
		{"UpstreamError:429", 429, "the upstream answered 429 after %d ms"},
		{"UpstreamError:503", 503, "the upstream answered 503 to request %d"},
		{"timeout", 0, "context deadline exceeded after %d ms"},
		{"", 0, "cannot do that for account %d"},
		{"permission_denied", 403, "account %d may not do that"},
	}
)

// makeTools draws the tools' habits: medians from 15 to 800 ms, failures of 5
// calls in a hundred on average, few tools with most of them.
func makeTools(rng *rand.Rand, n int) []tool {
	all := make([]tool, n)
	for i := range all {
		refusal := refusals[rng.IntN(len(refusals))]
		failures := int(2500 * rng.ExpFloat64() * 2) // mean 5 %
		failures = min(failures, 40_000)
		all[i] = tool{
			name:    verbs[i%len(verbs)] + "_" + nouns[i/len(verbs)%len(nouns)],
			median:  15_000 * math.Exp(rng.Float64()*math.Log(800.0/15)),
			badArgs: failures * 45 / 100, toolError: failures * 45 / 100, crashed: failures / 10,
			empty: int(4000 * rng.ExpFloat64()), bytes: 80 << rng.IntN(8),
			param:     params[rng.IntN(len(params))],
			errorType: refusal.name, status: refusal.status, message: refusal.message,
		}
		if i >= len(verbs)*len(nouns) {
			all[i].name += fmt.Sprint("_", i)
		}
	}
	return all
}

func clientName(i int) string {
	if i < len(clientNames) {
		return clientNames[i]
	}
	return fmt.Sprint("client-", i)
}

func (g *Generator) begin(at time.Time) *session {
	dice, project := g.rng.IntN(100), 0
	for project < len(shares)-1 && dice >= shares[project] {
		dice -= shares[project]
		project++
	}
	if project == len(shares)-1 && g.o.Projects > len(shares) {
		project += g.rng.IntN(g.o.Projects - len(shares) + 1)
	}
	s := &session{
		project: min(project, g.o.Projects-1), client: int(g.clients.Uint64()), name: g.hex(16), at: at, retry: -1,
		left: 1 + min(int(g.rng.ExpFloat64()*(perSession-.5)), 200),
	}
	if g.rng.IntN(10) < 6 {
		s.user = fmt.Sprintf("u-%05d", int(math.Pow(g.rng.Float64(), 2)*5000))
	}
	// A release every 15 days.
	days := int(at.Sub(g.o.Until.Add(-g.o.Span)) / (15 * 24 * time.Hour))
	s.version = fmt.Sprintf("2.%d.%d", days/2, days%2)
	return s
}

// hex is n random bytes in hexadecimal.
func (g *Generator) hex(n int) string {
	var b [16]byte
	for i := range n {
		b[i] = byte(g.rng.Uint32())
	}
	return hex.EncodeToString(b[:n])
}

// event makes the session's next event and sets the time of the one behind it.
func (g *Generator) event(s *session) umpire.Event {
	client := clientName(s.client)
	e := umpire.Event{
		ID: g.id(s.at), StartedAt: s.at,
		Server: umpire.Peer{Name: fmt.Sprint("server-", s.project+1), Version: s.version, Env: "production"},
		Client: umpire.Peer{Name: client, Version: "1." + fmt.Sprint(s.client%4) + ".0"}, Platform: umpire.PlatformOf(client, ""),
		Protocol: "2025-11-25", Transport: "http", Session: s.name, User: s.user,
		SeenBy: "sdk", SDK: umpire.Peer{Name: "umpire-go", Version: "0.1.0"}, Rules: umpire.Rules,
	}
	pause := time.Duration(g.rng.ExpFloat64() * float64(12*time.Second))
	switch {
	case !g.listed[release{s.project, s.version}]:
		g.listed[release{s.project, s.version}] = true
		g.catalog(&e, s.project)
	case !s.begun && g.rng.IntN(3) > 0:
		e.Kind = "session"
	default:
		if dice := g.rng.IntN(1000); dice < 925 {
			g.call(s, &e)
			pause += time.Duration(*e.DurationUS) * time.Microsecond
		} else {
			g.other(&e, dice)
		}
	}
	s.begun = true
	s.at = s.at.Add(pause).Truncate(time.Microsecond)
	return e
}

// other is what is no call.
func (g *Generator) other(e *umpire.Event, dice int) {
	us := int64(1000 + g.rng.IntN(50_000))
	switch {
	case dice < 970:
		e.Kind, e.Outcome, e.DurationUS = "resource", umpire.OK, &us
		e.Tool = fmt.Sprintf("docs://pages/{id}/%d", g.rng.IntN(8))
	case dice < 990:
		e.Kind, e.Outcome, e.DurationUS = "prompt", umpire.OK, &us
		e.Tool = fmt.Sprint("prompt_", g.rng.IntN(5))
	case dice < 996:
		e.Kind, e.Tool = "cancelled", g.known[g.rng.IntN(len(g.known))].name
	default:
		e.Kind, e.Tool = "round", g.known[g.rng.IntN(len(g.known))].name
	}
}

func (g *Generator) catalog(e *umpire.Event, project int) {
	e.Kind, e.Session, e.User = "catalog", "", ""
	for _, i := range g.order[project] {
		t := g.known[i]
		schema := fmt.Sprintf(`{"type":"object","properties":{"query":{"type":"string"},"limit":{"type":"integer"}},"required":[%q]}`, t.param[1:])
		e.Tools = append(e.Tools, umpire.ToolDefinition{
			Name: t.name, Title: t.name, Description: "Does what " + t.name + " says, and says so at some length.",
			Definition: fmt.Sprintf("%016x", uint64(i)<<32|uint64(len(e.Server.Version))), Bytes: 120 + len(schema), InputSchema: json.RawMessage(schema),
		})
	}
}

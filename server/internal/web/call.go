package web

import (
	"bytes"
	"context"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// callView is the page /p/{project}/calls/{id}.
type callView struct {
	frame
	Err       *fault.Error
	Tool      string
	Kind      string // of what is no call
	CallsHref string
	ToolHref  string
	SessHref  string
	At        time.Time
	Mark      template.HTML
	Slice     string
	Message   string
	Rule      string
	Reason    string
	Beside    []string
	Groups    []factGroup
	Captured  []captured
	Raw       string
}

// factGroup are the recorded fields of one kind.
type factGroup struct {
	Title string
	Facts []fact
}

// fact is one recorded field: its name on the wire, and what it says.
type fact struct {
	Name, Text string
	Note       string
	At         *time.Time
}

// captured is a value of the arguments or the answer, where they are kept.
type captured struct{ Title, Text string }

func (s *site) call(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	ctx := r.Context()
	var got answer[query.CallAnswer]
	facets := sc.withFacets(ctx, func() {
		got = ask(ctx, s, "call", func(ctx context.Context) (query.CallAnswer, error) {
			return query.Call(ctx, s.src, sc.params, r.PathValue("id"))
		})
	})
	if got.Err != nil && got.Err.Code == fault.NotFound {
		return got.Err
	}
	v := callView{frame: sc.frame(ctx, "Call", sc.projectPath()+"calls", facets), CallsHref: sc.link(sc.projectPath() + "calls"), Err: got.Err}
	v.Filters = nil // an id means one call, whatever the filters
	if got.Err == nil {
		v.fill(sc, got.Value)
	}
	return s.render(w, http.StatusOK, "call", v)
}

func (v *callView) fill(sc *scope, a query.CallAnswer) {
	e := a.Event
	v.Title = "Call of " + clip(e.Tool, 60) + " · " + sc.project.Name
	v.Tool, v.At, v.Message = e.Tool, e.StartedAt, e.ErrorMessage
	v.Rule, v.Reason, v.Beside = a.Verdict.Rule, a.Verdict.Reason, a.Verdict.Beside
	if e.Kind == "call" {
		v.ToolHref, v.Slice, v.Mark = sc.toolLink(e.Tool), "Set aside", ""
	} else {
		v.Kind = e.Kind
	}
	if a.Slice != "" {
		v.Slice, v.Mark = format.Slice(umpire.Slice(a.Slice)), chart.Mark(a.Slice)
	}
	if a.SessionPart != "" {
		v.SessHref = sc.sessionLink(a.SessionPart) + "#" + e.ID.String()
	}
	v.Groups = factGroups(a)
	for _, c := range []struct {
		title string
		value json.RawMessage
	}{{"Arguments", e.Input}, {"Answer", e.Output}} {
		if len(c.value) > 0 {
			v.Captured = append(v.Captured, captured{c.title, indented(c.value)})
		}
	}
	v.Raw = indented(e)
}

// factGroups are all recorded fields that say something, by kind.
func factGroups(a query.CallAnswer) []factGroup {
	e := a.Event
	var groups []factGroup
	add := func(title string, facts ...fact) {
		facts = slices.DeleteFunc(facts, func(f fact) bool { return f.Text == "" && f.At == nil })
		if len(facts) > 0 {
			groups = append(groups, factGroup{title, facts})
		}
	}
	add("How it ended", text("outcome", string(e.Outcome)), truth("empty", e.Empty), said("empty_rule", e.EmptyRule, format.EmptyRule),
		said("cause", e.Cause, format.Cause), text("error_type", e.ErrorType), integer("error_status", int64(e.ErrorStatus)), text("error_message", e.ErrorMessage),
		text("bad_params", badParams(e.BadParams)), text("near", strings.Join(e.Near, ", ")), text("suspects", strings.Join(e.Suspects, ", ")),
		text("fingerprint", e.Fingerprint), text("evidence", e.Evidence), text("handler_ran", e.HandlerRan), truth("late", e.Late), integer("rules", int64(e.Rules)))
	add("When, how long, how much", fact{Name: "started_at", At: &e.StartedAt}, took(e.DurationUS), fact{Name: "ended_at", At: &a.EndedAt}, fact{Name: "received_at", At: &a.ReceivedAt},
		size("request_bytes", e.RequestBytes), size("response_bytes", e.ResponseBytes))
	add("Who asked, and whom", text("client", peer(e.Client)), text("platform", e.Platform), text("user", e.User), text("session", e.Session),
		text("server", peer(e.Server)), text("env", e.Server.Env), text("protocol", e.Protocol), text("transport", e.Transport))
	add("What was asked", text("tool", e.Tool), text("intent", e.Intent), text("input_keys", strings.Join(e.InputKeys, ", ")), text("input_types", types(e.InputTypes)),
		text("args_hash", e.ArgsHash), text("ask_hash", e.AskHash), truth("is_retry", e.IsRetry), truth("reworded", e.Reworded), truth("repeated", e.Repeated), text("definition", e.Definition))
	add("Where it comes from", text("id", e.ID.String()), text("kind", e.Kind), said("seen_by", e.SeenBy, func(by string) string { return format.Sender(by, "") }),
		text("sdk", peer(e.SDK)), text("trace_id", e.TraceID), text("span_id", e.SpanID))
	var own []fact
	for _, name := range slices.Sorted(maps.Keys(e.Meta)) {
		own = append(own, text(name, plain(e.Meta[name])))
	}
	add("Properties (meta)", own...)
	return groups
}

func text(name, value string) fact { return fact{Name: name, Text: value} }

// said is a name from a closed list with its words.
func said(name, value string, words func(string) string) fact {
	f := fact{Name: name, Text: value}
	if value != "" {
		if w := words(value); w != value {
			f.Note = w
		}
	}
	return f
}

func truth(name string, yes bool) fact {
	if !yes {
		return fact{}
	}
	return fact{Name: name, Text: "yes"}
}

func integer(name string, n int64) fact {
	if n == 0 {
		return fact{}
	}
	return fact{Name: name, Text: strconv.FormatInt(n, 10)}
}

func took(us *int64) fact {
	if us == nil {
		return fact{Name: "duration_us", Text: "not known"}
	}
	return fact{Name: "duration_us", Text: format.Count(*us), Note: format.Duration(*us)}
}

func size(name string, n *int64) fact {
	if n == nil {
		return fact{Name: name, Text: "not known"}
	}
	return fact{Name: name, Text: format.Count(*n), Note: format.Bytes(*n)}
}

func peer(p umpire.Peer) string { return strings.TrimSpace(p.Name + " " + p.Version) }

func badParams(list []umpire.BadParam) string {
	var parts []string
	for _, p := range list {
		part := p.Path + " " + format.Rule(p.Rule)
		if p.Near != "" {
			part += " (close: " + p.Near + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func types(m map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, name+": "+m[name])
	}
	return strings.Join(parts, ", ")
}

// plain writes a property: a text as it is, all else as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	out, err := json.Marshal(v)
	if err != nil {
		return "(no JSON)"
	}
	return string(out)
}

// indented is a value as JSON to read. Its texts are shown as they are.
func indented(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

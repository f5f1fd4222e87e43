package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// asking runs a report's question beside that of the filters' values.
func asking[A any](sc *scope, r *http.Request, name string, question func(context.Context, query.Source, query.Params) (A, error)) (got answer[A], facets answer[query.FacetsAnswer]) {
	facets = sc.withFacets(r.Context(), func() {
		got = ask(r.Context(), sc.site, name, func(ctx context.Context) (A, error) { return question(ctx, sc.site.src, sc.params) })
	})
	return got, facets
}

// gone is what a report says where the events that it needs are no longer kept.
const gone = "Single events of a part of this range are no longer kept: pick a shorter one."

func (s *site) empties(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Empty answers")
	got, facets := asking(sc, r, "empty", query.Empties)
	return report(sc, w, r, "empty", "Empty answers", got, facets, func(v *reportView, a query.EmptyAnswer) {
		v.Intro = "These calls succeeded and said nothing. The model cannot tell that there is nothing to find from that it asked wrongly: say in words that nothing was found, and what could be asked instead. " +
			"Where that is fine, mute it: it stays in the counts, and is no insight any more."
		if a.Rate != nil {
			v.Caption = format.Plural(a.Empty, "call") + ", " + format.Rate(*a.Rate) + " of " + format.Count(a.Calls)
		}
		var rows [][]cell
		for _, t := range a.Tools {
			rows = append(rows, []cell{
				sc.toolCell(t.Tool, "slice", "empty"),
				{Text: format.EmptyRule(t.Rule)},
				linked(counted(t.Calls), sc.link(sc.projectPath()+"calls", "tool", t.Tool, "empty_rule", t.Rule)),
				shareCell(t.Calls, t.Of), counted(t.Clients), timeCell(t.LastSeen), sc.muteCell(t),
			})
		}
		v.Table, v.Rest = sc.grid(table{ID: "empty", Title: "By tool and rule", Caption: "Empty answers by tool and rule", Empty: noneOr(a.Tools == nil, "No answer was empty in this range.")}, []gridHead{
			{"tool", "Tool", "name", true},
			{"rule", "Why it counts as empty", "whole", true},
			{"calls", "Calls", "n", false},
			{"share", "Of the tool's", "n", false},
			{"clients", "Clients", "n", false},
			{"seen", "Last seen", "", false},
			{"", "Muted", "act", false},
		}, rows, "calls")
		v.Notes = unseenNotes(a.NotReported, false)
	})
}

func (s *site) reported(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Reported as success")
	got, facets := asking(sc, r, "reported", query.Reported)
	return report(sc, w, r, "reported", "Reported as success", got, facets, func(v *reportView, a query.ReportedAnswer) {
		v.Intro = "The server said that these calls were fine, and they do not look it. They are counted as OK. Look at some; where they are failures, make a rule: from then on such calls are tool errors, and past ones keep what they were."
		var rows [][]cell
		for _, t := range a.Tools {
			rows = append(rows, []cell{
				sc.toolCell(t.Tool),
				{Text: format.Suspect(t.Mark)},
				linked(counted(t.Calls), sc.link(sc.projectPath()+"calls", "tool", t.Tool, "mark", t.Mark)), shareCell(t.Calls, t.Of), counted(t.Clients), timeCell(t.LastSeen),
				sc.ruleCell(t.Tool, t.Mark),
			})
		}
		v.Table, v.Rest = sc.grid(table{ID: "reported", Title: "By tool and mark", Caption: "Marked successes by tool and mark", Empty: noneOr(a.Tools == nil, "No success of this range looks like a failure.")}, []gridHead{
			{"tool", "Tool", "name", true},
			{"mark", "What makes it look like a failure", "whole", true},
			{"calls", "Calls", "n", false},
			{"share", "Of the tool's OK", "n", false},
			{"clients", "Clients", "n", false},
			{"seen", "Last seen", "", false},
			{"", "Rule", "act", false},
		}, rows, "calls")
		v.Notes = unseenNotes(a.NotReported, false)
	})
}

func noneOr(isGone bool, none string) string {
	if isGone {
		return gone
	}
	return none
}

func (s *site) unknownTools(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Unknown tools")
	got, facets := asking(sc, r, "unknown tools", query.Unknown)
	return report(sc, w, r, "unknown-tools", "Unknown tools", got, facets, func(v *reportView, a query.UnknownAnswer) {
		v.Intro = "Models asked for these tools, and no server has them. A name that many ask for is one that they expect: add the tool, or name in the descriptions the one that does it."
		var rows [][]cell
		for _, n := range a.Names {
			near := cell{Missing: "nothing close"}
			if len(n.Nearest) > 0 {
				near = cell{Text: n.Nearest[0], Href: sc.toolLink(n.Nearest[0]), Code: true}
				near.Small = n.Nearest[1:]
			}
			rows = append(rows, []cell{
				{Text: n.Name, Code: true, Heading: true},
				near,
				linked(counted(n.Calls), sc.link(sc.projectPath()+"calls", "tool", n.Name, "cause", "unknown_tool")),
				listCell(n.Asked, int64(len(n.Asked)), ""), listCell(n.Next, 0, "nothing more"),
			})
		}
		v.Table, v.Rest = sc.grid(table{ID: "unknown", Title: "By name", Caption: "Names that were asked for and that no server has", Empty: noneOr(a.Names == nil, "Nobody asked for a tool that is not there.")}, []gridHead{
			{"name", "Asked for", "name", true},
			{"near", "Closest", "whole", true},
			{"calls", "Calls", "n", false},
			{"clients", "Who asked", "whole", false},
			{"", "What came next in the session", "whole", false},
		}, rows, "calls")
		v.Notes = unseenNotes(a.NotReported, false)
	})
}

func (s *site) neverCalled(w http.ResponseWriter, r *http.Request) error {
	sc, err := s.scope(w, r)
	if err != nil || sc == nil {
		return err
	}
	sc.begin(w, "Never called")
	got, facets := asking(sc, r, "never called", query.Never)
	return report(sc, w, r, "never-called", "Never called", got, facets, func(v *reportView, a query.NeverCalledAnswer) {
		v.Intro = "A server lists these tools and nobody called them in this range. Their definitions are read all the same, once in each session of the range at least: tokens are estimated as bytes / 4."
		if a.Tools != nil {
			v.Caption = format.Count(int64(len(a.Tools))) + " of " + format.Plural(a.Listed, "tool")
			if a.Tokens != nil {
				v.Caption += " · " + format.Tokens(*a.Tokens)
			}
			if a.Cost != nil {
				v.Caption += " · " + format.Money(*a.Cost)
			}
		}
		var rows [][]cell
		for _, t := range a.Tools {
			name := sc.toolCell(t.Tool)
			if t.Server != "" && t.Server != "unknown" {
				name.Small = []string{t.Server}
			}
			rows = append(rows, []cell{
				name, numberCell(t.DefinitionBytes, format.Bytes), numberCell(t.Sessions, format.Count), numberCell(t.Tokens, shortTokens),
				costCell(t.Cost), timeCell(t.FirstSeen),
			})
		}
		v.Table, v.Rest = sc.grid(table{ID: "never", Title: "By tool", Caption: "Tools that are listed and were not called", Empty: neverNone(a)}, []gridHead{
			{"tool", "Tool", "name", true},
			{"bytes", "Definition", "n", false},
			{"sessions", "Sessions", "n", false},
			{"tokens", "Tokens", "n", false},
			{"cost", "Cost", "n", false},
			{"since", "Listed since", "", true},
		}, rows, "tokens")
	})
}

func neverNone(a query.NeverCalledAnswer) string {
	switch {
	case a.Tools == nil:
		return "Which tools were never called cannot be said of calls that are chosen by how they ended: take that filter off."
	case a.Listed == 0:
		return "No server has listed its tools yet."
	}
	return "Every listed tool was called in this range."
}

// linked is the cell as a link, where there is something behind it.
func linked(c cell, href string) cell {
	if !c.Zero {
		c.Href = href
	}
	return c
}

func numberCell(n *int64, write func(int64) string) cell {
	if n == nil {
		return cell{Missing: format.Unknown}
	}
	return ranked(cell{Text: write(*n)}, float64(*n))
}

// shortTokens is for a column that is headed so.
func shortTokens(n int64) string { return strings.TrimSuffix(format.Tokens(n), " tokens") }

func costCell(usd *float64) cell {
	if usd == nil {
		return cell{Missing: "no price is set"}
	}
	return ranked(cell{Text: format.Money(*usd)}, *usd)
}

// listed is how many names a cell holds.
const listed = 3

// listCell names the first of a list with their counts.
func listCell(list []query.NameCount, rank int64, blank string) cell {
	if len(list) == 0 {
		return cell{Missing: "in no session"}
	}
	var parts []string
	for _, n := range list[:min(listed, len(list))] {
		name := clip(shown(n.Name), 40)
		if n.Name == "" {
			name = blank
		}
		parts = append(parts, name+" "+format.Count(n.Calls))
	}
	text := strings.Join(parts, " · ")
	if rest := len(list) - listed; rest > 0 {
		text += " and " + format.Count(int64(rest)) + " more"
	}
	return ranked(cell{Text: text}, float64(rank))
}

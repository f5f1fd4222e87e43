package web

import (
	"time"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

func timeCell(at time.Time) cell {
	c := ranked(cell{Text: at.UTC().Format(time.RFC3339)}, float64(at.UnixMicro()))
	c.At = &at
	return c
}

// muteCell says whether empty answers of a tool by a rule are fine, and has the button
// that changes it.
func (sc *scope) muteCell(t query.EmptyLine) cell {
	return cell{Act: sc.muteAction(t.Tool, t.Rule)}
}

func (sc *scope) muteAction(tool, rule string) *action {
	a := &action{Text: "Mute", To: sc.changeAt("mute"), Fields: []pair{{"tool", tool}, {"rule", rule}, {"back", sc.page()}}}
	if sc.params.Prefs.IsMuted(tool, rule) {
		a.Said, a.Text = "muted", "Unmute"
		a.Fields = append(a.Fields, pair{"off", "1"})
		if !sc.params.Prefs.Has(tool, rule) { // a mute of all the tool's empty answers
			a.Said, a.Text = "muted with the tool", ""
		}
	}
	if sc.site.opt.Settings == nil {
		a.Text = ""
	}
	return a
}

// ruleCell is the button that makes tool errors of a tool's later calls with a mark, or
// says that there is such a rule.
func (sc *scope) ruleCell(tool, mark string) cell { return cell{Act: sc.ruleAction(tool, mark)} }

func (sc *scope) ruleAction(tool, mark string) *action {
	if sc.site.opt.Settings == nil {
		return &action{}
	}
	for _, r := range sc.site.opt.Settings.Rules(sc.project.ID) {
		if r.Mark == mark && (r.Tool == "" || r.Tool == tool) {
			return &action{Said: "later ones are tool errors"}
		}
	}
	return &action{Text: "Count as tool errors", To: sc.changeAt("rule"), Fields: []pair{{"tool", tool}, {"mark", mark}, {"back", sc.page()}}}
}

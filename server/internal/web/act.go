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

// muteCell is whether empty answers of a tool by a rule are fine, and the button that
// changes it.
func (sc *scope) muteCell(t query.EmptyLine) cell {
	a := &action{}
	if t.Muted {
		a.Said = "muted"
	}
	return cell{Act: a}
}

// ruleCell is the button that makes a rule of a mark.
func (sc *scope) ruleCell(tool, mark string) cell {
	return cell{Act: &action{}}
}

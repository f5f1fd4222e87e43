package web

import (
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/chart"
	"github.com/umpire-mcp/umpire/server/internal/format"
	"github.com/umpire-mcp/umpire/server/internal/query"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// breakRow explains a letter of the chart: what was not as before from then on.
type breakRow struct {
	Letter string
	At     time.Time
	Texts  []string
}

const (
	breaksShown = 10 // letters in a chart
	breakTexts  = 4  // of one letter
)

// breaks puts a letter where something changed, one for all that changed in one bar.
func breaks(changes []query.Change, buckets []query.Bucket, d time.Duration) (marks []chart.Break, rows []breakRow) {
	byBar := map[int][]query.Change{}
	for _, c := range changes {
		for i, b := range buckets {
			if !c.At.Before(b.At) && c.At.Before(b.At.Add(d)) {
				byBar[i] = append(byBar[i], c)
			}
		}
	}
	for i := range buckets {
		list := byBar[i]
		if len(list) == 0 || len(rows) == breaksShown {
			continue
		}
		row := breakRow{Letter: string(rune('A' + len(rows))), At: list[0].At, Texts: changeTexts(list)}
		rows = append(rows, row)
		words := ""
		for n, t := range row.Texts {
			if n > 0 {
				words += ", "
			}
			words += t
		}
		marks = append(marks, chart.Break{Bar: i, Name: row.Letter, Words: words})
	}
	return marks, rows
}

// changeTexts are what changed in one bar: versions one by one, definitions and the
// rest after them, all of them counted.
func changeTexts(list []query.Change) []string {
	var texts []string
	definitions := 0
	for _, c := range list {
		switch c.Kind {
		case store.ChangeVersion:
			texts = append(texts, clip(shown(c.Name), 40)+" "+clip(shown(c.Before), 24)+" → "+clip(shown(c.Value), 24))
		case store.ChangeSDK:
			texts = append(texts, clip(shown(c.Name), 40)+" "+clip(shown(c.Before), 24)+" → "+clip(shown(c.Value), 24)+" (SDK)")
		case store.ChangeRules:
			texts = append(texts, "rules of judgement "+c.Before+" → "+c.Value)
		default:
			definitions++
		}
	}
	if definitions == 1 {
		for _, c := range list {
			if c.Kind == store.ChangeDefinition {
				texts = append(texts, "definition of "+clip(shown(c.Name), 40))
			}
		}
	}
	if definitions > 1 {
		texts = append(texts, strconv.Itoa(definitions)+" definitions of tools")
	}
	if rest := len(texts) - breakTexts; rest > 0 {
		texts = append(texts[:breakTexts], format.Plural(int64(rest), "more change"))
	}
	return texts
}

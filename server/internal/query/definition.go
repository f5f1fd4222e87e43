package query

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Definition is one version of a tool's definition, as the model reads it.
type Definition struct {
	Definition  string          `json:"definition"`
	Bytes       int64           `json:"bytes"`
	FirstSeen   time.Time       `json:"first_seen"`
	LastSeen    time.Time       `json:"last_seen"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"` // null where it is not known
	// Changes are the lines that differ from the version before, each behind "+ ",
	// "- " or, around them, two blanks; empty for the first.
	Changes []string `json:"changes"`
}

// maxDefinitions bounds the versions of a tool in an answer: the newest.
const maxDefinitions = 20

// DefinitionsAnswer answers: how did the definitions of the tools read, and when did
// they change?
type DefinitionsAnswer struct {
	Header
	// Definitions are by tool, oldest first, the newest 20 of each.
	Definitions []ToolDefinition `json:"definitions"`
	// More reports that there are more tools than are listed: 500.
	More bool `json:"more"`
}

// ToolDefinition is one version of the definition of a tool.
type ToolDefinition struct {
	Tool string `json:"tool"`
	Definition
}

// Definitions answers: how did the definitions of the tools read, and when did they
// change? Tool, server, version and environment narrow it, and the range does not.
func Definitions(ctx context.Context, src Source, p Params) (DefinitionsAnswer, error) {
	return asOne(ctx, src, func(src Source) (DefinitionsAnswer, error) {
		answer := DefinitionsAnswer{Header: p.header(), Definitions: []ToolDefinition{}}
		listed, err := src.Catalog(ctx, p.Filter)
		if err != nil {
			return DefinitionsAnswer{}, err
		}
		tools := slices.Sorted(maps.Keys(newestByTool(listed)))
		if len(tools) > maxDefined {
			tools, answer.More = tools[:maxDefined], true
		}
		for _, tool := range tools {
			rows, err := src.Definitions(ctx, p.Filter, tool)
			if err != nil {
				return DefinitionsAnswer{}, err
			}
			for _, d := range definitions(rows) {
				answer.Definitions = append(answer.Definitions, ToolDefinition{tool, d})
			}
		}
		return answer, nil
	})
}

// maxDefined bounds the tools whose definitions are answered.
const maxDefined = 500

func definitions(rows []store.DefinitionRow) []Definition {
	rows = rows[max(0, len(rows)-maxDefinitions):]
	out := make([]Definition, 0, len(rows))
	for i, r := range rows {
		d := Definition{
			Definition: r.Definition, Bytes: r.Bytes, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
			Title: r.Title, Description: r.Description, Changes: []string{},
		}
		if json.Valid([]byte(r.InputSchema)) {
			d.InputSchema = json.RawMessage(r.InputSchema)
		}
		if i > 0 {
			d.Changes = changedLines(definitionLines(rows[i-1]), definitionLines(r))
		}
		out = append(out, d)
	}
	return out
}

// definitionLines are a definition as lines of text. The names in an object are sorted:
// who lists a tool, and through what, decides their order, and it means nothing.
func definitionLines(r store.DefinitionRow) []string {
	lines := []string{"title: " + r.Title}
	for _, line := range strings.Split(r.Description, "\n") {
		lines = append(lines, "description: "+line)
	}
	read := json.NewDecoder(strings.NewReader(r.InputSchema))
	read.UseNumber()
	var schema any
	if read.Decode(&schema) != nil {
		return lines
	}
	var pretty strings.Builder
	write := json.NewEncoder(&pretty)
	write.SetEscapeHTML(false)
	write.SetIndent("", "  ")
	if write.Encode(schema) != nil {
		return lines
	}
	return append(lines, strings.Split(strings.TrimSpace(pretty.String()), "\n")...)
}

const (
	maxDiffLines = 1500 // of a definition that is compared; longer ones are not
	diffContext  = 2    // lines that are shown around a change
)

// changedLines is what turns a into b: the longest common part stays, and of it the
// lines around changes are shown.
func changedLines(a, b []string) []string {
	if len(a) > maxDiffLines || len(b) > maxDiffLines {
		return []string{"  (too long to compare)"}
	}
	common := make([][]uint16, len(a)+1) // the length of the longest common part of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var all []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			all, i, j = append(all, "  "+a[i]), i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			all, i = append(all, "- "+a[i]), i+1
		default:
			all, j = append(all, "+ "+b[j]), j+1
		}
	}
	return aroundChanges(all)
}

// aroundChanges leaves out the lines that are far from every change.
func aroundChanges(all []string) []string {
	out, last := []string{}, -1
	for i := range all {
		near := false
		for j := max(0, i-diffContext); j <= min(len(all)-1, i+diffContext); j++ {
			near = near || all[j][0] != ' '
		}
		if !near {
			continue
		}
		if last >= 0 && i > last+1 {
			out = append(out, "  …")
		}
		out, last = append(out, all[i]), i
	}
	return out
}

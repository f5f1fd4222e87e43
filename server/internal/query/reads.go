package query

import (
	"context"
	"time"
)

// ResourcesAnswer answers: which resources are read, and do they answer?
type ResourcesAnswer struct {
	Header
	Resources []ReadLine `json:"resources"`
}

// PromptsAnswer answers: which prompts are asked for, and do they answer?
type PromptsAnswer struct {
	Header
	Prompts []ReadLine `json:"prompts"`
}

// ReadLine is what was read under the name that the server registered: a URI, a
// template, a prompt's name; never the address that a client read. They are no calls
// and in no rate. Those without an outcome were given up.
type ReadLine struct {
	Name      string    `json:"name"`
	Reads     int64     `json:"reads"`
	OK        int64     `json:"ok"`
	Failed    int64     `json:"failed"` // bad_args, tool_error and crashed
	BadArgs   int64     `json:"bad_args"`
	ToolError int64     `json:"tool_error"`
	Crashed   int64     `json:"crashed"`
	GivenUp   int64     `json:"given_up"`
	P50US     *int64    `json:"p50_us"`
	P95US     *int64    `json:"p95_us"`
	Clients   int64     `json:"clients"`
	LastSeen  time.Time `json:"last_seen"`
}

// Resources answers: which resources are read, and do they answer? At most 1,000,
// most read first.
func Resources(ctx context.Context, src Source, p Params) (a ResourcesAnswer, err error) {
	a.Header, a.Resources, err = reads(ctx, src, p, "resource", "resources")
	return a, err
}

// Prompts answers: which prompts are asked for, and do they answer? At most 1,000,
// most asked for first.
func Prompts(ctx context.Context, src Source, p Params) (a PromptsAnswer, err error) {
	a.Header, a.Prompts, err = reads(ctx, src, p, "prompt", "prompts")
	return a, err
}

func reads(ctx context.Context, src Source, p Params, kind, list string) (Header, []ReadLine, error) {
	h := p.header()
	if len(p.Filter.Outcome)+len(p.Filter.Slice) > 0 { // these are of calls
		h.NotFiltered = append(h.NotFiltered, list)
		return h, nil, nil
	}
	if err := keptRaw(ctx, src, p.Filter); err != nil {
		return h, nil, err
	}
	rows, err := src.Reads(ctx, p.Filter, kind, MaxLimit)
	lines := make([]ReadLine, 0, len(rows))
	for _, r := range rows {
		l := latency(r.Latency)
		failed := r.BadArgs + r.ToolError + r.Crashed
		lines = append(lines, ReadLine{
			Name: r.Name, Reads: r.Reads, OK: r.OK, Failed: failed, BadArgs: r.BadArgs, ToolError: r.ToolError, Crashed: r.Crashed,
			GivenUp: r.Reads - r.OK - failed, P50US: l.P50, P95US: l.P95, Clients: r.Clients, LastSeen: r.LastSeen,
		})
	}
	return h, lines, err
}

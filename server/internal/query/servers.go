package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// ServersAnswer answers: how are this project's servers doing?
type ServersAnswer struct {
	Header
	Calls            int64        `json:"calls"`
	Slices           Slices       `json:"slices"`
	ErrorRate        *float64     `json:"error_rate"`
	EmptyRate        *float64     `json:"empty_rate"`
	FirstCallSuccess Share        `json:"first_call_success"`
	LastSeen         *time.Time   `json:"last_seen"`
	Servers          []ServerLine `json:"servers"`
}

// ServerLine is the calls of one server, over all of its versions.
type ServerLine struct {
	Server           string     `json:"server"`
	Versions         []string   `json:"versions"` // the newest first
	Calls            int64      `json:"calls"`
	OK               *int64     `json:"ok"`
	Empty            *int64     `json:"empty"`
	BadArgs          *int64     `json:"bad_args"`
	ToolError        *int64     `json:"tool_error"`
	Crashed          *int64     `json:"crashed"`
	P95US            *int64     `json:"p95_us"`
	FirstCallSuccess *Share     `json:"first_call_success"`
	LastSeen         *time.Time `json:"last_seen"`
}

// Servers answers: how are this project's servers doing? Most calls first.
func Servers(ctx context.Context, src Source, p Params) (ServersAnswer, error) {
	return asOne(ctx, src, func(src Source) (ServersAnswer, error) { return serversOf(ctx, src, p) })
}

func serversOf(ctx context.Context, src Source, p Params) (ServersAnswer, error) {
	answer := ServersAnswer{Header: p.header(), Servers: []ServerLine{}}
	if _, err := keptFor(ctx, src, p.Filter); err != nil {
		return ServersAnswer{}, err
	}
	rows, err := src.ByRelease(ctx, p.Filter)
	if err != nil {
		return ServersAnswer{}, err
	}
	slices.SortStableFunc(rows, func(a, b store.ReleaseRow) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), b.Since.Compare(a.Since), strings.Compare(b.Version, a.Version))
	})
	var all store.ReleaseRow
	byServer := map[string]*store.ReleaseRow{}
	versions := map[string][]string{}
	var order []string
	for _, r := range rows {
		if byServer[r.Server] == nil {
			byServer[r.Server] = &store.ReleaseRow{Server: r.Server}
			order = append(order, r.Server)
		}
		if r.Version != store.Unknown {
			versions[r.Server] = append(versions[r.Server], r.Version)
		}
		sumReleases(&all, r)
		sumReleases(byServer[r.Server], r)
	}
	for _, name := range order {
		answer.Servers = append(answer.Servers, serverLine(*byServer[name], versions[name]))
	}
	slices.SortStableFunc(answer.Servers, func(a, b ServerLine) int { return cmp.Compare(b.Calls, a.Calls) })
	answer.Calls, answer.Slices = all.Calls, slicesOf(all.Counts)
	answer.ErrorRate, answer.EmptyRate = rate(failed(all.Counts), all.Calls), rate(all.Empty, all.Calls)
	answer.FirstCallSuccess = Share{Rate: rate(all.FirstOK, all.FirstCalls), Of: all.FirstCalls}
	if all.Calls > 0 {
		answer.LastSeen = &all.LastSeen
	}
	return answer, nil
}

func sumReleases(into *store.ReleaseRow, r store.ReleaseRow) {
	into.Calls += r.Calls
	into.OK += r.OK
	into.Empty += r.Empty
	into.BadArgs += r.BadArgs
	into.ToolError += r.ToolError
	into.Crashed += r.Crashed
	into.FirstCalls += r.FirstCalls
	into.FirstOK += r.FirstOK
	if into.Latency == nil {
		into.Latency = store.Histogram{}
	}
	for bucket, n := range r.Latency {
		into.Latency[bucket] += n
	}
	if r.LastSeen.After(into.LastSeen) {
		into.LastSeen = r.LastSeen
	}
}

func serverLine(r store.ReleaseRow, versions []string) ServerLine {
	s, seen := slicesOf(r.Counts), r.LastSeen
	return ServerLine{
		Server: r.Server, Versions: some(versions), Calls: r.Calls,
		OK: &s.OK, Empty: &s.Empty, BadArgs: &s.BadArgs, ToolError: &s.ToolError, Crashed: &s.Crashed, P95US: latency(r.Latency).P95,
		FirstCallSuccess: &Share{Rate: rate(r.FirstOK, r.FirstCalls), Of: r.FirstCalls}, LastSeen: &seen,
	}
}

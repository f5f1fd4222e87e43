package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// ReleasesAnswer answers: did a newer version of a server make it better or worse?
type ReleasesAnswer struct {
	Header
	// Releases are by server, the newest first.
	Releases    []Release     `json:"releases"`
	NotReported []NotReported `json:"not_reported"`
}

// Release is one version of a server, beside the one before it.
type Release struct {
	Server  string `json:"server"`
	Version string `json:"version"`
	// Since is the hour of its first call, which may lie before the range.
	Since            time.Time `json:"since"`
	LastSeen         time.Time `json:"last_seen"`
	Calls            int64     `json:"calls"`
	Slices           Slices    `json:"slices"`
	ErrorRate        *float64  `json:"error_rate"`
	EmptyRate        *float64  `json:"empty_rate"`
	LatencyUS        Latency   `json:"latency_us"`
	FirstCallSuccess Share     `json:"first_call_success"`
	Sessions         *int64    `json:"sessions"`
	ResponseBytesAvg *int64    `json:"response_bytes_avg"`
	// Before is the version that it is compared with: the newest older one of the
	// server that had a call in the range. Verdict is empty without one.
	Before      string       `json:"before,omitempty"`
	Verdict     Standing     `json:"verdict,omitempty"`
	Differences []Difference `json:"differences"`
	// Tools are the tools whose error rate is not the same; only of the newest version.
	Tools []ToolDifference `json:"tools"`
}

// Standing says how a figure compares with the one before.
type Standing string

// The standings. TooFew: one of the two has fewer than MinCalls calls.
const (
	Worse  Standing = "worse"
	Same   Standing = "same"
	Better Standing = "better"
	TooFew Standing = "too_few"
)

// Difference is a share of calls beside that of the version before. Low and High are
// the 99 % interval of Now less Before (Newcombe's, of Wilson scores): the verdict is
// same as long as 0 lies in it.
type Difference struct {
	// Measure is error_rate, bad_args, tool_error, crashed, empty, first_call_success,
	// or slow: the share of calls that took longer than 95 % of those before.
	Measure string   `json:"measure"`
	Now     *float64 `json:"now"`
	Before  *float64 `json:"before"`
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Verdict Standing `json:"verdict"`
}

// ToolDifference is the error rate of a tool in both versions.
type ToolDifference struct {
	Tool        string `json:"tool"`
	Calls       int64  `json:"calls"`
	CallsBefore int64  `json:"calls_before"`
	Difference
}

// Releases answers: did a newer version of a server make it better or worse?
func Releases(ctx context.Context, src Source, p Params) (ReleasesAnswer, error) {
	return asOne(ctx, src, func(src Source) (ReleasesAnswer, error) { return releasesOf(ctx, src, p) })
}

func releasesOf(ctx context.Context, src Source, p Params) (ReleasesAnswer, error) {
	answer := ReleasesAnswer{Header: p.header(), Releases: []Release{}}
	if _, err := keptFor(ctx, src, p.Filter); err != nil {
		return ReleasesAnswer{}, err
	}
	rows, err := releaseRows(ctx, src, p.Filter)
	if err != nil {
		return ReleasesAnswer{}, err
	}
	unseen, err := unseenOf(ctx, src, p.Filter)
	if err != nil {
		return ReleasesAnswer{}, err
	}
	answer.NotReported = unseen.list
	chosen := byEnding(p.Filter)
	if chosen { // of calls chosen by how they ended there is nothing to compare
		answer.NotFiltered = append(answer.NotFiltered, "differences")
	}
	for i, r := range rows {
		release := releaseOf(r)
		if i+1 < len(rows) && rows[i+1].Server == r.Server && !chosen {
			release.against(r, rows[i+1])
			if i == 0 || rows[i-1].Server != r.Server {
				if release.Tools, err = toolDifferences(ctx, src, p.Filter, r, rows[i+1]); err != nil {
					return ReleasesAnswer{}, err
				}
			}
		}
		answer.Releases = append(answer.Releases, release)
	}
	return answer, nil
}

// releaseRows are the versions by server, the newest first. What has no version is
// left out: it is compared with nothing.
func releaseRows(ctx context.Context, src Source, f store.Filter) ([]store.ReleaseRow, error) {
	rows, err := src.ByRelease(ctx, f)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r store.ReleaseRow) bool { return r.Version == store.Unknown })
	slices.SortFunc(rows, func(a, b store.ReleaseRow) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), b.Since.Compare(a.Since), b.LastSeen.Compare(a.LastSeen), strings.Compare(b.Version, a.Version))
	})
	return rows, nil
}

func releaseOf(r store.ReleaseRow) Release {
	sessions := r.Sessions
	return Release{
		Server: r.Server, Version: r.Version, Since: r.Since, LastSeen: r.LastSeen, Calls: r.Calls, Slices: slicesOf(r.Counts),
		ErrorRate: rate(failed(r.Counts), r.Calls), EmptyRate: rate(r.Empty, r.Calls), LatencyUS: latency(r.Latency),
		FirstCallSuccess: Share{Rate: rate(r.FirstOK, r.FirstCalls), Of: r.FirstCalls}, Sessions: &sessions,
		ResponseBytesAvg: average(r.ResponseBytes, r.ResponseKnown), Differences: []Difference{}, Tools: []ToolDifference{},
	}
}

// against compares the release with the one before.
func (r *Release) against(now, before store.ReleaseRow) {
	r.Before = before.Version
	share := func(n func(store.ReleaseRow) int64, of func(store.ReleaseRow) int64) [2]proportion {
		return [2]proportion{{n(now), of(now)}, {n(before), of(before)}}
	}
	calls := func(r store.ReleaseRow) int64 { return r.Calls }
	for _, m := range []struct {
		name  string
		is    [2]proportion
		above bool // more is better
	}{
		{"error_rate", share(func(r store.ReleaseRow) int64 { return failed(r.Counts) }, calls), false},
		{"bad_args", share(func(r store.ReleaseRow) int64 { return r.BadArgs }, calls), false},
		{"tool_error", share(func(r store.ReleaseRow) int64 { return r.ToolError }, calls), false},
		{"crashed", share(func(r store.ReleaseRow) int64 { return r.Crashed }, calls), false},
		{"empty", share(func(r store.ReleaseRow) int64 { return r.Empty }, calls), false},
		{"first_call_success", share(func(r store.ReleaseRow) int64 { return r.FirstOK }, func(r store.ReleaseRow) int64 { return r.FirstCalls }), true},
		{"slow", slower(now.Latency, before.Latency), false},
	} {
		r.Differences = append(r.Differences, compared(m.name, m.is[0], m.is[1], m.above))
	}
	r.Verdict = r.verdict()
}

// verdict is worse if more calls fail or crash; else better if fewer fail; else same.
func (r *Release) verdict() Standing {
	of := func(measure string) Standing {
		return r.Differences[slices.IndexFunc(r.Differences, func(d Difference) bool { return d.Measure == measure })].Verdict
	}
	switch {
	case of("error_rate") == TooFew:
		return TooFew
	case of("error_rate") == Worse || of("crashed") == Worse:
		return Worse
	default:
		return of("error_rate")
	}
}

// compared holds two shares against each other.
func compared(measure string, now, before proportion, moreIsBetter bool) Difference {
	d := Difference{Measure: measure, Now: rate(now.n, now.of), Before: rate(before.n, before.of), Verdict: TooFew}
	if now.of < MinCalls || before.of < MinCalls {
		return d
	}
	low, high := difference(now, before)
	d.Low, d.High, d.Verdict = &low, &high, Same
	switch {
	case low > 0 && moreIsBetter, high < 0 && !moreIsBetter:
		d.Verdict = Better
	case low > 0, high < 0:
		d.Verdict = Worse
	}
	return d
}

// slower counts in both histograms the calls that took longer than the p95 of before.
func slower(now, before store.Histogram) [2]proportion {
	p95 := Percentile(before, 0.95)
	count := func(h store.Histogram) (p proportion) {
		for bucket, n := range h {
			p.of += n
			if p95 != nil && bucket > store.Bucket(*p95) {
				p.n += n
			}
		}
		return p
	}
	return [2]proportion{count(now), count(before)}
}

// toolDifferences are the tools whose error rate is not the same, the largest
// difference first.
func toolDifferences(ctx context.Context, src Source, f store.Filter, now, before store.ReleaseRow) ([]ToolDifference, error) {
	rows, err := toolsOfVersion(ctx, src, f, now)
	if err != nil {
		return nil, err
	}
	old, err := toolsOfVersion(ctx, src, f, before)
	if err != nil {
		return nil, err
	}
	out := []ToolDifference{}
	for _, r := range rows {
		for _, o := range old {
			if o.Tool != r.Tool {
				continue
			}
			d := compared("error_rate", proportion{failed(r.Counts), r.Calls}, proportion{failed(o.Counts), o.Calls}, false)
			if d.Verdict == Worse || d.Verdict == Better {
				out = append(out, ToolDifference{Tool: r.Tool, Calls: r.Calls, CallsBefore: o.Calls, Difference: d})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b ToolDifference) int { return cmp.Compare(*b.Now-*b.Before, *a.Now-*a.Before) })
	return out, nil
}

func toolsOfVersion(ctx context.Context, src Source, f store.Filter, r store.ReleaseRow) ([]store.ToolRow, error) {
	f.Server, f.Version = []string{r.Server}, []string{r.Version}
	return src.ByTool(ctx, f)
}

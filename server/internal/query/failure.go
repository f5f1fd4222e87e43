package query

import (
	"context"
	"slices"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Failure is a group of failures with one fingerprint.
type Failure struct {
	Fingerprint string    `json:"fingerprint"`
	Tool        string    `json:"tool"`
	Outcome     string    `json:"outcome"`
	Cause       string    `json:"cause"`
	ErrorType   string    `json:"error_type,omitempty"`
	ErrorStatus *int64    `json:"error_status"`
	Message     string    `json:"message,omitempty"`
	Calls       int64     `json:"calls"`
	Clients     int64     `json:"clients"`
	FirstSeen   time.Time `json:"first_seen"` // in the range
	LastSeen    time.Time `json:"last_seen"`
	// FirstEver is when the project saw this tool fail so for the first time, whatever
	// the range and the filters; New, that it was within the range.
	FirstEver time.Time `json:"first_ever"`
	New       bool      `json:"new"`
	// Where it occurred, most calls first, at most maxPlaces of each.
	Versions    []NameCount `json:"versions"`
	Envs        []NameCount `json:"envs"`
	ClientNames []NameCount `json:"client_names"`
	Samples     []string    `json:"samples"` // ids of calls, newest first
}

const (
	maxPlaces  = 5    // versions, environments and clients of a group
	maxSamples = 3    // ids of calls of a group
	maxWhere   = 5000 // rows of places that are read for all groups
)

// failures are the groups of failures, most calls first.
func failures(ctx context.Context, src Source, f store.Filter, most int) ([]Failure, error) {
	rows, err := src.Failures(ctx, f, most)
	if err != nil {
		return nil, err
	}
	out := make([]Failure, 0, len(rows))
	at := map[store.FailureKey]int{}
	for i, r := range rows {
		at[r.FailureKey] = i
		out = append(out, Failure{
			Fingerprint: r.Fingerprint, Tool: r.Tool, Outcome: r.Outcome, Cause: r.Cause,
			ErrorType: r.ErrorType, ErrorStatus: known(r.ErrorStatus, r.ErrorStatus), Message: r.Message,
			Calls: r.Calls, Clients: r.Clients, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
			FirstEver: r.FirstEver, New: !r.FirstEver.Before(f.From), Samples: []string{r.Sample},
			Versions: []NameCount{}, Envs: []NameCount{}, ClientNames: []NameCount{},
		})
	}
	if len(out) == 0 {
		return out, nil
	}
	return out, addPlaces(ctx, src, f, out, at)
}

// addPlaces fills in where the groups occurred.
func addPlaces(ctx context.Context, src Source, f store.Filter, out []Failure, at map[store.FailureKey]int) error {
	places, err := src.FailurePlaces(ctx, f, maxWhere)
	if err != nil {
		return err
	}
	slices.SortStableFunc(places, func(a, b store.FailurePlaceRow) int { return b.LastSeen.Compare(a.LastSeen) })
	for _, p := range places {
		i, listed := at[p.FailureKey]
		if !listed {
			continue
		}
		g := &out[i]
		g.Versions, g.Envs = count(g.Versions, p.Version, p.Calls), count(g.Envs, p.Env, p.Calls)
		g.ClientNames = count(g.ClientNames, p.Client, p.Calls)
		if len(g.Samples) < maxSamples && !slices.Contains(g.Samples, p.Sample) {
			g.Samples = append(g.Samples, p.Sample)
		}
	}
	for i := range out {
		for _, list := range []*[]NameCount{&out[i].Versions, &out[i].Envs, &out[i].ClientNames} {
			slices.SortStableFunc(*list, func(a, b NameCount) int { return int(max(-1, min(1, b.Calls-a.Calls))) })
			*list = (*list)[:min(len(*list), maxPlaces)]
		}
	}
	return nil
}

// count adds calls to the name's count.
func count(list []NameCount, name string, calls int64) []NameCount {
	for i := range list {
		if list[i].Name == name {
			list[i].Calls += calls
			return list
		}
	}
	return append(list, NameCount{Name: name, Calls: calls})
}

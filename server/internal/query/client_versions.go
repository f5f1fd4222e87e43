package query

import (
	"context"
	"time"
)

// maxClientVersions is how many versions an answer lists.
const maxClientVersions = 1000

// ClientVersionsAnswer answers: with which of its versions does a client fail?
type ClientVersionsAnswer struct {
	Header
	// Versions are most calls first; null where single events are no longer kept.
	Versions    []ClientVersionLine `json:"versions"`
	NotReported []NotReported       `json:"not_reported"`
}

// ClientVersionLine is one version of one client.
type ClientVersionLine struct {
	Client  string `json:"client"`
	Version string `json:"version"`
	Calls   int64  `json:"calls"`
	// OK is without the empty answers: the five add up to the calls.
	OK               int64     `json:"ok"`
	Empty            int64     `json:"empty"`
	BadArgs          int64     `json:"bad_args"`
	ToolError        int64     `json:"tool_error"`
	Crashed          int64     `json:"crashed"`
	FirstCallSuccess *Share    `json:"first_call_success"`
	FirstSeen        time.Time `json:"first_seen"`
	LastSeen         time.Time `json:"last_seen"`
}

// ClientVersions answers: with which of its versions does a client fail?
func ClientVersions(ctx context.Context, src Source, p Params) (ClientVersionsAnswer, error) {
	return asOne(ctx, src, func(src Source) (ClientVersionsAnswer, error) {
		answer := ClientVersionsAnswer{Header: p.header(), Versions: []ClientVersionLine{}}
		kept, err := keptFor(ctx, src, p.Filter)
		if err != nil {
			return ClientVersionsAnswer{}, err
		}
		unseen, err := unseenOf(ctx, src, p.Filter)
		if err != nil {
			return ClientVersionsAnswer{}, err
		}
		answer.NotReported = unseen.list
		if rawGone(kept, p.Filter) {
			hide(&answer.Header, true, "versions", &answer.Versions)
			return answer, nil
		}
		rows, err := src.ClientVersions(ctx, p.Filter, maxClientVersions)
		for _, r := range rows {
			s := slicesOf(r.Counts)
			answer.Versions = append(answer.Versions, ClientVersionLine{
				Client: r.Client, Version: r.Version, Calls: r.Calls,
				OK: s.OK, Empty: s.Empty, BadArgs: s.BadArgs, ToolError: s.ToolError, Crashed: s.Crashed,
				FirstCallSuccess: &Share{Rate: rate(r.FirstOK, r.FirstCalls), Of: r.FirstCalls}, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
			})
		}
		return answer, err
	})
}

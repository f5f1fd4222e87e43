package query

import (
	"context"
	"fmt"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// UsersAnswer answers: who calls, how often, and who is new? Only calls whose server
// names a user count.
type UsersAnswer struct {
	Header
	Users []UserLine `json:"users"`
	Next  *string    `json:"next"` // the cursor of the next part; null at the end
	// Total are the users of the range, New those of them who had not called since
	// LookedBack, before it.
	Total      int64     `json:"total"`
	New        int64     `json:"new"`
	Returning  int64     `json:"returning"`
	LookedBack time.Time `json:"looked_back"`
	Active     Active    `json:"active"`
	// Series counts users step by step; who calls in two steps is in both.
	Granularity string       `json:"granularity"`
	Series      []UserBucket `json:"series"`
}

// Active are the users of the last day, 7 and 30 days of the range; null where the
// calls of that time are not all kept.
type Active struct {
	Day   *int64 `json:"day"`
	Week  *int64 `json:"week"`
	Month *int64 `json:"month"`
}

// UserBucket is one step of a series of users.
type UserBucket struct {
	At    time.Time `json:"at"`
	Users int64     `json:"users"`
	New   int64     `json:"new"`
}

// UserLine is one user.
type UserLine struct {
	User      string    `json:"user"`
	Calls     int64     `json:"calls"`
	OK        int64     `json:"ok"`
	Empty     int64     `json:"empty"`
	BadArgs   int64     `json:"bad_args"`
	ToolError int64     `json:"tool_error"`
	Crashed   int64     `json:"crashed"`
	Days      int64     `json:"days"` // on which he called
	New       bool      `json:"new"`
	FirstSeen time.Time `json:"first_seen"` // in the range
	LastSeen  time.Time `json:"last_seen"`
}

// lookBack is how long before the range a user must not have called to be new.
const lookBack = 28 * day

// Users answers: who calls, how often, and who is new?
func Users(ctx context.Context, src Source, p Params) (UsersAnswer, error) {
	return asOne(ctx, src, func(src Source) (UsersAnswer, error) { return usersOf(ctx, src, p) })
}

func usersOf(ctx context.Context, src Source, p Params) (UsersAnswer, error) {
	at, err := p.resume("users")
	if err != nil {
		return UsersAnswer{}, err
	}
	if err := keptRaw(ctx, src, p.Filter); err != nil {
		return UsersAnswer{}, err
	}
	kept, err := src.Kept(ctx, p.Filter.Project)
	if err != nil {
		return UsersAnswer{}, err
	}
	since := p.Filter.From.Add(-lookBack)
	if since.Before(kept.Raw) {
		since = kept.Raw
	}
	answer := UsersAnswer{LookedBack: since}
	// The cursor holds the calls of the last user in place of a moment.
	limit, behind := p.List.limit(), int64(0)
	if at.key != "" {
		behind = at.at.UnixMicro()
	}
	rows, err := src.UserList(ctx, p.Filter, since, behind, at.key, limit+1)
	if err != nil {
		return UsersAnswer{}, err
	}
	answer.Users = make([]UserLine, 0, len(rows))
	for i, r := range rows {
		if i == limit {
			answer.Next = p.next("users", time.UnixMicro(rows[i-1].Calls), rows[i-1].User)
			break
		}
		answer.Users = append(answer.Users, userLine(r))
	}
	if err := answer.count(ctx, src, p, kept); err != nil {
		return UsersAnswer{}, err
	}
	answer.Header = p.header()
	return answer, nil
}

func userLine(r store.UserRow) UserLine {
	s := slicesOf(r.Counts)
	return UserLine{
		User: r.User, Calls: r.Calls, OK: s.OK, Empty: s.Empty, BadArgs: s.BadArgs, ToolError: s.ToolError, Crashed: s.Crashed,
		Days: r.Days, New: !r.Returning, FirstSeen: r.FirstSeen, LastSeen: r.LastSeen,
	}
}

// count fills in what is not a list of users.
func (a *UsersAnswer) count(ctx context.Context, src Source, p Params, kept store.Kept) error {
	totals, err := src.UserTotals(ctx, p.Filter, a.LookedBack)
	if err != nil {
		return err
	}
	a.Total, a.New, a.Returning = totals.Range, totals.New, totals.Range-totals.New
	daily, weekly, monthly := p.Filter.Lately()
	for _, one := range []struct {
		from time.Time
		n    int64
		into **int64
	}{{daily, totals.Day, &a.Active.Day}, {weekly, totals.Week, &a.Active.Week}, {monthly, totals.Month, &a.Active.Month}} {
		if !one.from.Before(kept.Raw) {
			*one.into = &one.n
		}
	}
	if p.Granularity == "" && p.Filter.To.Sub(p.Filter.From) >= 2*day {
		p.Granularity = "1d" // who is active is counted by days
	}
	g, err := p.step()
	if err != nil {
		return err
	}
	points, err := src.UserSeries(ctx, p.Filter, a.LookedBack, g.step)
	if err != nil {
		return err
	}
	a.Granularity, a.Series = g.name, []UserBucket{}
	for at := store.StepStart(p.Filter.From, g.step); at.Before(p.Filter.To); at = at.Add(g.step) {
		b := UserBucket{At: at}
		if len(points) > 0 && points[0].At.Equal(at) {
			b.Users, b.New, points = points[0].Users, points[0].New, points[1:]
		}
		a.Series = append(a.Series, b)
	}
	if len(points) > 0 {
		return fmt.Errorf("BUG: the store has users at %v, which is no step of the series", points[0].At)
	}
	return nil
}

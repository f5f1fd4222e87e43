package query

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Limits of the lists that are read in parts.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
)

// List is which part of a list is asked for, and what only lists are narrowed by.
type List struct {
	Limit  int    // 0 is DefaultLimit
	Cursor string // Next of the part before; empty: the first part
	// Failed and Loops leave the sessions that hold a failed call, or a loop
	// (outcomes.md 6.4).
	Failed, Loops bool
}

// The parameters of lists, beside those of Parse.
const (
	ParamLimit  = "limit"
	ParamCursor = "cursor"
	ParamFailed = "failed"
	ParamLoops  = "loops"
)

// TakeList reads the parameters of a list, of which takes names those that it has,
// and takes them out of values: what is left is for Parse.
func TakeList(values url.Values, takes ...string) (l List, err error) {
	text := map[string]string{}
	for _, name := range takes {
		if text[name], err = single(values, name); err != nil {
			return List{}, err
		}
		delete(values, name)
	}
	l.Cursor = text[ParamCursor]
	if v := text[ParamLimit]; v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > MaxLimit {
			return List{}, bad(ParamLimit, v, fmt.Sprintf("a number from 1 to %d", MaxLimit))
		}
		l.Limit = n
	}
	for name, flag := range map[string]*bool{ParamFailed: &l.Failed, ParamLoops: &l.Loops} {
		switch v := text[name]; v {
		case "", "0", "false":
		case "1", "true":
			*flag = true
		default:
			return List{}, bad(name, v, "1 or 0")
		}
	}
	return l, nil
}

func (l List) limit() int {
	if l.Limit <= 0 {
		return DefaultLimit
	}
	return min(l.Limit, MaxLimit)
}

// mark is what a cursor holds: the range that the first part was asked in, so that
// an hour that passes meanwhile moves nothing, and the last row of the part before.
type mark struct {
	from, to, at time.Time
	key          string // of the row, at the same moment
}

// errCursor is said of every cursor that this question did not give.
func errCursor(cursor string) error {
	return fault.New(fault.BadRequest, "cursor cannot be "+quote(cursor)+" here",
		"take next from the part before, whole, and ask with it for the same project, list, range and filters; without cursor the list begins")
}

// next is the cursor behind a row of the list of that name.
func (p Params) next(list string, at time.Time, key string) *string {
	body := make([]byte, 0, 64)
	for _, t := range []time.Time{p.Filter.From, p.Filter.To, at} {
		body = binary.AppendVarint(body, t.UnixMicro())
	}
	body = append(body, key...)
	text := base64.RawURLEncoding.EncodeToString(append(body, p.seal(list, body)...))
	return &text
}

// resume reads the cursor that was asked with, if any, and goes back to the range
// of the first part.
func (p *Params) resume(list string) (m mark, err error) {
	if p.List.Cursor == "" {
		return mark{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.List.Cursor)
	if err != nil || len(raw) <= sealSize {
		return mark{}, errCursor(p.List.Cursor)
	}
	body, seal := raw[:len(raw)-sealSize], raw[len(raw)-sealSize:]
	if !slices.Equal(seal, p.seal(list, body)) {
		return mark{}, errCursor(p.List.Cursor)
	}
	for _, t := range []*time.Time{&m.from, &m.to, &m.at} {
		us, n := binary.Varint(body)
		if n <= 0 {
			return mark{}, errCursor(p.List.Cursor)
		}
		*t, body = time.UnixMicro(us).UTC(), body[n:]
	}
	m.key = string(body)
	p.Filter.From, p.Filter.To = m.from, m.to
	return m, nil
}

const sealSize = 8

// seal binds a cursor to the project, the list and the filters that it was given
// for. It is no secret: whoever makes a cursor up sees another part of what he may
// see anyway, because the project comes from his key.
func (p Params) seal(list string, body []byte) []byte {
	h := sha256.New()
	say := func(parts ...string) {
		for _, s := range parts {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	}
	say("umpire cursor 1", list, strconv.FormatUint(uint64(p.Filter.Project), 10), p.Last, strconv.FormatBool(p.List.Failed), strconv.FormatBool(p.List.Loops))
	if p.Last == "" {
		asked := p.asked
		if asked == (Range{}) {
			asked = Range{From: p.Filter.From, To: p.Filter.To}
		}
		say(asked.From.Format(time.RFC3339Nano), asked.To.Format(time.RFC3339Nano))
	}
	for _, d := range dimensions {
		values := slices.Clone(*d.list(&p.Filter))
		slices.Sort(values)
		say(d.name, strconv.Itoa(len(values)))
		say(values...)
	}
	say(string(body))
	return h.Sum(nil)[:sealSize]
}

// firstWindow is how much of a range is looked at first for the newest rows.
const firstWindow = time.Hour

// newest asks for the newest rows of a range in windows that grow backwards, so
// that a list is found at its end and the rest is not read. ask returns rows of its
// filter's range only, newest first, at most so many.
func newest[T any](f store.Filter, before time.Time, limit int, ask func(f store.Filter, limit int) ([]T, error)) ([]T, error) {
	all := []T{}
	from, to, span := f.From, f.To, firstWindow
	if !before.IsZero() && before.Before(to) {
		to = before
	}
	for len(all) < limit && from.Before(to) {
		f.From, f.To = to.Add(-span), to
		if f.From.Before(from) {
			f.From = from
		}
		rows, err := ask(f, limit-len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
		to, span = f.From, 8*span
	}
	return all, nil
}

package demo

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"github.com/umpire-mcp/umpire"
)

// Days of history that Backfill makes.
const Days = 14

// habit is how a tool's calls ended in the past, of a thousand, and how long
// they took. Texts and names are those that the live bookshop gives, so that
// past and present failures fall into the same groups.
type habit struct {
	tool                             string
	weight                           int
	empty, badArgs, refused, crashed int
	// unsaid is how often it said that it failed and reported a success; crashedBefore
	// how often it crashed in the version before, which did not have its bug.
	unsaid, crashedBefore int
	medianMS              float64
	bytes                 int64

	params                []umpire.BadParam
	paramsText            string
	refusal, refusalText  string
	crashCause, crashName string
	crashText             string
}

var habits = []habit{
	{
		tool: "search_books", weight: 300, empty: 60, badArgs: 45, medianMS: 14, bytes: 1400,
		params:     []umpire.BadParam{{Path: "/query", Rule: "required"}, {Path: "/q", Rule: "unknown_property"}},
		paramsText: `validating "arguments": validating root: unexpected additional properties ["q"]`,
	},
	{
		tool: "get_book", weight: 170, refused: 35, medianMS: 4, bytes: 160,
		refusal: "not_found", refusalText: `there is no book "Emma"; search_books finds SKUs`,
	},
	{
		tool: "check_stock", weight: 120, crashed: 40, crashedBefore: 1, medianMS: 6, bytes: 60,
		crashCause: "returned", crashName: "runtime.boundsError",
		crashText: "internal error: runtime error: index out of range [20] with length 20",
	},
	{
		tool: "list_orders", weight: 130, empty: 110, badArgs: 190, refused: 12, medianMS: 22, bytes: 900,
		params: []umpire.BadParam{{Path: "/status", Rule: "enum"}},
		paramsText: `validating "arguments": validating root: validating /properties/status: enum: shipped does not equal ` +
			`any of: [awaiting_payment packed dispatched returned]`,
		refusal: "not_found", refusalText: `no customer "cus_999"`,
	},
	{
		tool: "get_order", weight: 100, badArgs: 75, refused: 25, medianMS: 5, bytes: 240,
		params: []umpire.BadParam{{Path: "/order_id", Rule: "pattern"}},
		paramsText: `validating "arguments": validating root: validating /properties/order_id: pattern: "40013" does not match ` +
			`regular expression "^ORD-[0-9]{5}$"`,
		refusal: "not_found", refusalText: "no order ORD-49999",
	},
	{tool: "get_customer", weight: 60, refused: 40, unsaid: 30, medianMS: 5, bytes: 120, refusalText: "unknown customer cus_061"},
	{
		tool: "refund_order", weight: 30, badArgs: 50, refused: 230, medianMS: 60, bytes: 70,
		params: []umpire.BadParam{{Path: "/amount_cents", Rule: "type"}},
		paramsText: `validating "arguments": validating root: validating /properties/amount_cents: type: all has type "string", ` +
			`want "integer"`,
		refusal: "not_refundable", refusalText: "order ORD-40012 is packed: only dispatched orders can be refunded",
	},
	{
		tool: "quote_shipping", weight: 60, refused: 150, medianMS: 140, bytes: 40,
		refusal: "demo.CarrierError:502", refusalText: "cannot quote shipping: the carrier answered 502",
	},
	{
		tool: "convert_price", weight: 25, refused: 60, medianMS: 3, bytes: 30,
		refusal: "unsupported_currency", refusalText: "cannot convert EUR to JPY: the shop knows EUR, GBP, SEK and USD",
	},
	{
		tool: "sales_report", weight: 20, refused: 80, crashed: 60, medianMS: 420, bytes: 700,
		refusal: "invalid_date", refusalText: "from and to are dates as 2026-03-31", crashCause: "output_schema",
		crashText: `validating tool output: validating root: validating /properties/rows: type: <invalid reflect.Value> has ` +
			`type "null", want "array"`,
	},
}

// Backfill posts two weeks of made-up history, up to until, through the native
// door: about perDay calls a day. It begins where a window of two weeks begins
// (docs/wire.md, last=14d), so that nothing of it lies in the window before. The
// same seed gives the same events but for their ids and times.
func Backfill(ctx context.Context, cfg Config, until time.Time, perDay int) error {
	client := umpire.New(umpire.Options{
		Endpoint: cfg.Endpoint, Key: cfg.Key, SpoolDir: "-", Environment: "demo", QueueSize: 50_000,
		Capture: umpire.Capture{Intent: true},
	})
	h := &historian{rng: rand.New(rand.NewPCG(cfg.Seed, 11)), client: client}
	begin := func(day int) time.Time {
		return until.Truncate(time.Hour).Add(time.Hour - time.Duration(day)*24*time.Hour)
	}
	if err := h.list(ctx, begin(Days), begin(releasedAgo)); err != nil {
		return err
	}
	for day := Days; day >= 1; day-- {
		from := begin(day)
		h.day(from, until, perDay, day)
		if err := client.Flush(ctx); err != nil {
			return fmt.Errorf("cannot back-fill the demo's history: %w", err)
		}
	}
	return client.Close(ctx)
}

// releasedAgo is how many days ago 1.4.0 came.
const releasedAgo = 5

// serverVersionOn dates the releases.
func serverVersionOn(daysAgo int) string {
	if daysAgo > releasedAgo {
		return "1.3.2"
	}
	return serverVersion
}

// versionOn dates the releases of clients: some came in these two weeks.
func (p persona) versionOn(daysAgo int) string {
	if p.before != "" && daysAgo > p.released {
		return p.before
	}
	return p.version
}

// maxVisit is longer than any session that history makes.
const maxVisit = 15 * time.Minute

type historian struct {
	rng    *rand.Rand
	client *umpire.Client
}

// day spreads sessions over 24 hours: busy in the afternoon, quiet at night and
// at the weekend.
func (h *historian) day(from, until time.Time, calls, daysAgo int) {
	if wd := from.Add(12 * time.Hour).Weekday(); wd == time.Saturday || wd == time.Sunday {
		calls = calls * 2 / 3
	}
	for made := 0; made < calls; {
		at := from.Add(time.Duration(h.rng.Int64N(int64(24 * time.Hour))))
		hour := float64(at.UTC().Hour()) + float64(at.UTC().Minute())/60
		fromNoon := (hour - 14) / 5
		if h.rng.Float64() > 0.25+0.75*math.Exp(-fromNoon*fromNoon) {
			continue
		}
		if at.Add(maxVisit).After(until) {
			made++ // not yet
			continue
		}
		made += h.session(at, daysAgo)
	}
}

// session records one session's calls and returns how many.
func (h *historian) session(at time.Time, daysAgo int) int {
	p := pick(h.rng)
	base := umpire.Event{
		Kind:   "call",
		Server: umpire.Peer{Name: serverName, Version: serverVersionOn(daysAgo), Env: "demo"},
		Client: umpire.Peer{Name: p.name, Version: p.versionOn(daysAgo)}, Platform: umpire.PlatformOf(p.name, ""),
		Protocol: "2025-11-25", Transport: "http", Session: h.hex(16), Meta: map[string]any{"demo": true},
	}
	if p.inProcess {
		base.Transport = "memory"
	}
	base.User = userOf(base.Session)
	h.beside(base, at, p)
	n := 0
	for range 2 + h.rng.IntN(9) {
		e := h.call(base, at, p)
		if p.reads && h.rng.IntN(3) == 0 {
			e.Intent = intentOf(h.rng, e.Tool)
		}
		at = at.Add(time.Duration(*e.DurationUS)*time.Microsecond + time.Duration(1+h.rng.IntN(9))*time.Second)
		h.client.Record(e)
		n++
		if e.Outcome == umpire.BadArgs && p.corrects && h.rng.IntN(10) < 8 {
			tool := e.Tool
			if len(e.Near) > 0 { // a name that no tool has: the right one, this time
				tool = e.Near[0]
			}
			again := h.success(base, tool, at)
			at = at.Add(time.Duration(2+h.rng.IntN(20)) * time.Second)
			h.client.Record(again)
			n++
		}
	}
	return n
}

// call draws one call by the habits.
func (h *historian) call(base umpire.Event, at time.Time, p persona) umpire.Event {
	if h.rng.IntN(300) == 0 {
		return h.unknownTool(base, at)
	}
	t := h.pickHabit()
	e := h.success(base, t.tool, at)
	// A sloppy client makes more bad arguments than the tool's habit says.
	badArgs := t.badArgs * (6 + p.sloppy) / 18
	crashed := t.crashed
	if t.crashedBefore > 0 && base.Server.Version != serverVersion {
		crashed = t.crashedBefore
	}
	switch dice := h.rng.IntN(1000); {
	case dice < t.empty:
		e.Empty, e.EmptyRule = true, "structured:empty_list"
		h.size(&e, 40)
	case dice < t.empty+badArgs:
		e.Outcome, e.Cause, e.HandlerRan = umpire.BadArgs, "schema", "no"
		e.BadParams, e.ErrorMessage = t.params, t.paramsText
		e.ErrorType = "schema:" + t.params[0].Rule
		h.size(&e, 90)
	case dice < t.empty+badArgs+t.refused:
		e.Outcome, e.Cause, e.ErrorType, e.ErrorMessage = umpire.ToolError, "returned", t.refusal, t.refusalText
		if t.refusal == "" {
			e.Cause = "result"
		}
		if t.tool == "quote_shipping" {
			h.carrierTrouble(&e)
		}
		h.size(&e, 70)
	case dice < t.empty+badArgs+t.refused+crashed:
		e.Outcome, e.Cause, e.ErrorType, e.ErrorMessage = umpire.Crashed, t.crashCause, t.crashName, t.crashText
		h.size(&e, 60)
	case dice >= 1000-t.unsaid:
		e.Suspects = []string{"structured_error"}
		h.size(&e, 40)
	}
	return e
}

func (h *historian) carrierTrouble(e *umpire.Event) {
	switch h.rng.IntN(3) {
	case 0:
		e.ErrorType, e.ErrorStatus = "demo.CarrierError:429", 429
		e.ErrorMessage = "cannot quote shipping: the carrier answered 429"
	case 1:
		e.ErrorStatus = 502
	default:
		e.ErrorType = "timeout"
		e.ErrorMessage = `cannot reach the carrier: Get "http://127.0.0.1:42709/quote?country=FR&grams=2086": ` +
			"context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
		us := int64(500_000 + h.rng.IntN(9000))
		e.DurationUS = &us
	}
}

func (h *historian) unknownTool(base umpire.Event, at time.Time) umpire.Event {
	e := h.success(base, "get_customers", at)
	e.Outcome, e.Cause, e.HandlerRan = umpire.BadArgs, "unknown_tool", "no"
	e.ErrorMessage, e.Near = `unknown tool "get_customers"`, []string{"get_customer"}
	h.size(&e, 60)
	return e
}

// success is a call that went well.
func (h *historian) success(base umpire.Event, tool string, at time.Time) umpire.Event {
	e := base
	e.ID, e.StartedAt = umpire.NewID(), at
	e.Tool, e.Outcome, e.Evidence, e.HandlerRan = tool, umpire.OK, "observed", "yes"
	e.ArgsHash = h.hex(6)
	e.AskHash = e.ArgsHash
	median, bytes := 5.0, int64(100)
	for _, t := range habits {
		if t.tool == tool {
			median, bytes = t.medianMS, t.bytes
		}
	}
	us := int64(median * 1000 * math.Exp(h.rng.NormFloat64()*0.5))
	request := int64(24 + h.rng.IntN(80))
	e.DurationUS, e.RequestBytes = &us, &request
	h.size(&e, bytes/2+h.rng.Int64N(bytes+1))
	return e
}

func (h *historian) size(e *umpire.Event, bytes int64) { e.ResponseBytes = &bytes }

func (h *historian) pickHabit() habit {
	total := 0
	for _, t := range habits {
		total += t.weight
	}
	n := h.rng.IntN(total)
	for _, t := range habits {
		if n -= t.weight; n < 0 {
			return t
		}
	}
	return habits[0]
}

// userOf makes up whose session it is: a few people call often, most now and then.
func userOf(session string) string {
	if session == "" {
		return ""
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(session))
	n := sum.Sum32()
	return fmt.Sprintf("reader-%02d", n%97*(1+n%7)/7)
}

func (h *historian) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(h.rng.UintN(256))
	}
	return hex.EncodeToString(b)
}

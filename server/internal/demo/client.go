package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// persona is a client program with its habits.
type persona struct {
	name, version string
	// before is the version it had until so many days ago, if it had another one.
	before   string
	released int
	// weight is its share of the sessions.
	weight int
	// sloppy is how often, of a hundred calls, it fills arguments as it imagines
	// them instead of as the schema says.
	sloppy int
	// corrects says whether it tries again with better arguments after a failure.
	corrects bool
	// reads says whether it reads the shop's resource and prompt, and tells what people want.
	reads bool
	// inProcess connects it in memory instead of over HTTP.
	inProcess bool
}

var personas = []persona{
	{name: "claude-desktop", version: "1.9.2", before: "1.9.1", released: 4, weight: 40, sloppy: 9, corrects: true, reads: true},
	{name: "cursor-vscode", version: "2.4.0", before: "2.3.8", released: 2, weight: 25, sloppy: 16, corrects: true},
	{name: "codex-mcp-client", version: "0.61.0", weight: 20, sloppy: 7, corrects: true},
	{name: "night-batch", version: "3", weight: 10, sloppy: 30, inProcess: true},
	{name: "mcp-inspector", version: "0.17.1", weight: 5, sloppy: 4, corrects: true},
}

// step is one call of an errand; fixed is what the client tries after a refusal.
type step struct {
	tool  string
	args  map[string]any
	fixed map[string]any
}

// errand draws what a person asks a client to do: two to six calls.
func errand(rng *rand.Rand, s *shop, p persona) []step {
	sloppy := func() bool { return rng.IntN(100) < p.sloppy }
	cus := fmt.Sprintf("cus_%03d", 1+rng.IntN(60))
	b := s.books[rng.IntN(len(s.books))]
	ord := fmt.Sprintf("ORD-%05d", 40000+rng.IntN(len(s.orders)+4))
	words := []string{"novel", "dickens", "sea", "horror", "wells", "crime", "poetry", "detective cats", "manga", "austen"}

	search := step{tool: "search_books", args: map[string]any{"query": words[rng.IntN(len(words))]}}
	if sloppy() {
		search = step{tool: "search_books", args: map[string]any{"q": "crime"}, fixed: map[string]any{"query": "crime"}}
	}
	orders := step{tool: "list_orders", args: map[string]any{"customer_id": cus}}
	if rng.IntN(3) > 0 {
		orders.args["status"] = orderStatuses[rng.IntN(len(orderStatuses))]
		if rng.IntN(100) < 3*p.sloppy { // the four words are not in the description
			orders = step{
				tool:  "list_orders",
				args:  map[string]any{"customer_id": cus, "status": []string{"shipped", "pending", "open"}[rng.IntN(3)]},
				fixed: map[string]any{"customer_id": cus, "status": "dispatched"},
			}
		}
	}
	one := step{tool: "get_order", args: map[string]any{"order_id": ord}}
	if sloppy() {
		one = step{tool: "get_order", args: map[string]any{"order_id": ord[4:]}, fixed: map[string]any{"order_id": ord}}
	}
	refund := step{tool: "refund_order", args: map[string]any{"order_id": ord, "reason": "arrived damaged"}}
	if sloppy() {
		refund = step{tool: "refund_order", args: map[string]any{"order_id": ord, "amount_cents": "all", "reason": "arrived damaged"}, fixed: refund.args}
	}
	report := step{tool: "sales_report", args: map[string]any{"from": "2026-01-01", "to": "2026-06-30"}}
	switch {
	case rng.IntN(12) == 0:
		report.args = map[string]any{"from": "2031-01-01", "to": "2031-01-31"}
	case sloppy():
		report = step{tool: "sales_report", args: map[string]any{"from": "last month", "to": "today"}, fixed: report.args}
	}
	ship := step{tool: "quote_shipping", args: map[string]any{"country": "FR", "grams": 400 + rng.IntN(2000)}}
	if sloppy() {
		ship = step{tool: "quote_shipping", args: map[string]any{"country": "France", "grams": 800}, fixed: map[string]any{"country": "FR", "grams": 800}}
	}
	stock := step{tool: "check_stock", args: map[string]any{"sku": b.SKU, "warehouse": "Leipzig"}}
	get := step{tool: "get_book", args: map[string]any{"sku": b.SKU}}
	if rng.IntN(15) == 0 {
		get = step{tool: "get_book", args: map[string]any{"sku": b.Title}}
	}
	convert := step{tool: "convert_price", args: map[string]any{"amount": float64(b.PriceCents) / 100, "from": "EUR", "to": []string{"GBP", "USD", "SEK", "JPY"}[rng.IntN(4)]}}
	customerStep := step{tool: "get_customer", args: map[string]any{"customer_id": fmt.Sprintf("cus_%03d", 1+rng.IntN(62))}}
	if rng.IntN(40) == 0 {
		customerStep.tool = "get_customers"
	}
	errands := [][]step{
		{search, get, stock},
		{search, get, ship},
		{customerStep, orders, one},
		{orders, one, refund},
		{search, convert},
		{report},
		{stock, stock, ship},
		{search, search, get, convert},
	}
	return errands[rng.IntN(len(errands))]
}

// visit is one session: connect, run an errand, leave. pause lies between calls.
func visit(ctx context.Context, transport mcp.Transport, p persona, steps []step, pause func()) error {
	client := mcp.NewClient(&mcp.Implementation{Name: p.name, Version: p.version}, nil)
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		return fmt.Errorf("cannot connect %q to the bookshop: %w", p.name, err)
	}
	defer func() { _ = session.Close() }()
	if _, err := session.ListTools(ctx, nil); err != nil {
		return fmt.Errorf("cannot list the bookshop's tools: %w", err)
	}
	if p.reads {
		if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: hoursURI}); err != nil {
			return fmt.Errorf("cannot read the bookshop's opening hours: %w", err)
		}
		if _, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: giftPrompt}); err != nil {
			return fmt.Errorf("cannot get the bookshop's prompt: %w", err)
		}
	}
	for _, s := range steps {
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: s.tool, Arguments: s.args})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed := err != nil || res.IsError
		pause()
		if failed && p.corrects && s.fixed != nil {
			_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: s.tool, Arguments: s.fixed})
			pause()
		}
	}
	return nil
}

// pick draws a persona by weight.
func pick(rng *rand.Rand) persona {
	total := 0
	for _, p := range personas {
		total += p.weight
	}
	n := rng.IntN(total)
	for _, p := range personas {
		if n -= p.weight; n < 0 {
			return p
		}
	}
	return personas[0]
}

// think returns a pause of up to most, cut short when ctx ends.
func think(ctx context.Context, rng *rand.Rand, most time.Duration) func() {
	return func() {
		if most <= 0 {
			return
		}
		select {
		case <-time.After(time.Duration(rng.Int64N(int64(most)))):
		case <-ctx.Done():
		}
	}
}

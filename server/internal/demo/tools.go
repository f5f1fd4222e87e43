package demo

import (
	"context"
	"encoding/csv"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tools are the handlers of the shop's server.
type tools struct {
	shop    *shop
	carrier *carrier
}

type searchIn struct {
	Query string `json:"query" jsonschema:"words to look for"`
	Limit int    `json:"limit,omitempty" jsonschema:"at most this many, 10 if left out"`
}

type searchOut struct {
	Total int    `json:"total"`
	Books []book `json:"books"`
}

func (t *tools) searchBooks(_ context.Context, _ *mcp.CallToolRequest, in searchIn) (*mcp.CallToolResult, searchOut, error) {
	if strings.TrimSpace(in.Query) == "" {
		return nil, searchOut{}, refuse("missing_argument", "query is empty: give at least one word")
	}
	if in.Limit <= 0 {
		in.Limit = 10
	}
	found := t.shop.search(in.Query, in.Limit)
	return nil, searchOut{Total: len(found), Books: found}, nil
}

type skuIn struct {
	SKU string `json:"sku"`
}

func (t *tools) getBook(_ context.Context, _ *mcp.CallToolRequest, in skuIn) (*mcp.CallToolResult, book, error) {
	b, ok := t.shop.bySKU[in.SKU]
	if !ok {
		return nil, book{}, refuse("not_found", "there is no book %q; search_books finds SKUs", in.SKU)
	}
	return nil, b, nil
}

type stockIn struct {
	SKU       string `json:"sku"`
	Warehouse string `json:"warehouse"`
}

type stockOut struct {
	Copies int    `json:"copies"`
	Shelf  string `json:"shelf"`
}

// checkStock has a bug: the shelf plan knows 20 shelves, and books from the end
// of the catalogue stand on the 21st.
func (t *tools) checkStock(_ context.Context, _ *mcp.CallToolRequest, in stockIn) (*mcp.CallToolResult, stockOut, error) {
	shelves := strings.Split("ABCDEFGHIJKLMNOPQRST", "")
	stock, ok := t.shop.stock[strings.ToLower(in.Warehouse)]
	if !ok {
		return nil, stockOut{}, refuse("not_found", "no warehouse %q: there are leipzig and lyon", in.Warehouse)
	}
	copies, ok := stock[in.SKU]
	if !ok {
		return nil, stockOut{}, refuse("not_found", "no book %q", in.SKU)
	}
	position := slices.IndexFunc(t.shop.books, func(b book) bool { return b.SKU == in.SKU })
	return nil, stockOut{Copies: copies, Shelf: shelves[position/3]}, nil
}

type listOrdersIn struct {
	CustomerID string `json:"customer_id"`
	Status     string `json:"status,omitempty"`
}

type ordersOut struct {
	Orders []order `json:"orders"`
}

// listOrdersSchema is the one that models get wrong: the description says
// nothing of the four words that status may be.
func listOrdersSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object",
		Properties: map[string]*jsonschema.Schema{
			"customer_id": {Type: "string"},
			"status":      {Type: "string", Enum: []any{"awaiting_payment", "packed", "dispatched", "returned"}},
		},
		Required:             []string{"customer_id"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}

func (t *tools) listOrders(_ context.Context, _ *mcp.CallToolRequest, in listOrdersIn) (*mcp.CallToolResult, ordersOut, error) {
	if _, ok := t.shop.customers[in.CustomerID]; !ok {
		return nil, ordersOut{}, refuse("not_found", "no customer %q", in.CustomerID)
	}
	out := ordersOut{Orders: []order{}}
	for _, o := range t.shop.byOwner[in.CustomerID] {
		if in.Status == "" || o.Status == in.Status {
			out.Orders = append(out.Orders, o)
		}
	}
	return nil, out, nil
}

type orderIn struct {
	OrderID string `json:"order_id"`
}

func getOrderSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:       "object",
		Properties: map[string]*jsonschema.Schema{"order_id": {Type: "string", Pattern: "^ORD-[0-9]{5}$"}},
		Required:   []string{"order_id"},
	}
}

func (t *tools) getOrder(_ context.Context, _ *mcp.CallToolRequest, in orderIn) (*mcp.CallToolResult, order, error) {
	o, ok := t.shop.orders[in.OrderID]
	if !ok {
		return nil, order{}, refuse("not_found", "no order %s", in.OrderID)
	}
	return nil, o, nil
}

type customerIn struct {
	CustomerID string `json:"customer_id"`
}

// getCustomer answers by hand: isError is set on the result, and nothing names
// the failure.
func (t *tools) getCustomer(_ context.Context, _ *mcp.CallToolRequest, in customerIn) (*mcp.CallToolResult, any, error) {
	c, ok := t.shop.customers[in.CustomerID]
	if !ok {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{
			&mcp.TextContent{Text: "unknown customer " + in.CustomerID},
		}}, nil, nil
	}
	if c.ID == archivedCustomer { // says that it failed, and reports a success
		return nil, map[string]any{"error": "customer " + c.ID + " is archived"}, nil
	}
	return nil, c, nil
}

// archivedCustomer is one whom get_customer does not show.
const archivedCustomer = "cus_017"

type refundIn struct {
	OrderID     string `json:"order_id"`
	AmountCents int    `json:"amount_cents,omitempty" jsonschema:"the whole order if left out"`
	Reason      string `json:"reason"`
}

type refundOut struct {
	RefundID    string `json:"refund_id"`
	AmountCents int    `json:"amount_cents"`
}

func (t *tools) refundOrder(_ context.Context, _ *mcp.CallToolRequest, in refundIn) (*mcp.CallToolResult, refundOut, error) {
	o, ok := t.shop.orders[in.OrderID]
	switch {
	case !ok:
		return nil, refundOut{}, refuse("not_found", "no order %s", in.OrderID)
	case o.Status != "dispatched":
		return nil, refundOut{}, refuse("not_refundable", "order %s is %s: only dispatched orders can be refunded", o.ID, o.Status)
	case in.AmountCents > o.TotalCents:
		return nil, refundOut{}, refuse("amount_too_high", "order %s cost %d cents", o.ID, o.TotalCents)
	case in.AmountCents == 0:
		in.AmountCents = o.TotalCents
	}
	return nil, refundOut{RefundID: "re_" + strings.TrimPrefix(o.ID, "ORD-"), AmountCents: in.AmountCents}, nil
}

type convertIn struct {
	Amount float64 `json:"amount"`
	From   string  `json:"from"`
	To     string  `json:"to"`
}

type convertOut struct {
	Amount float64 `json:"amount"`
}

func (t *tools) convertPrice(_ context.Context, _ *mcp.CallToolRequest, in convertIn) (*mcp.CallToolResult, convertOut, error) {
	rates := map[string]float64{"EUR": 1, "GBP": 0.86, "SEK": 11.2, "USD": 1.09}
	from, okFrom := rates[in.From]
	to, okTo := rates[in.To]
	if !okFrom || !okTo {
		return nil, convertOut{}, refuse("unsupported_currency", "cannot convert %s to %s: the shop knows EUR, GBP, SEK and USD", in.From, in.To)
	}
	return nil, convertOut{Amount: in.Amount / from * to}, nil
}

type reportIn struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type reportOut struct {
	Rows []reportRow `json:"rows"`
}

type reportRow struct {
	Subject    string `json:"subject"`
	SalesCents int    `json:"sales_cents"`
}

// reportSchema promises one row at least. A period without sales breaks the
// promise, and the SDK refuses the answer as the tool's own fault.
func reportSchema() *jsonschema.Schema {
	one := 1
	return &jsonschema.Schema{
		Type:       "object",
		Properties: map[string]*jsonschema.Schema{"rows": {Type: "array", MinItems: &one}},
		Required:   []string{"rows"},
	}
}

func (t *tools) salesReport(_ context.Context, _ *mcp.CallToolRequest, in reportIn) (*mcp.CallToolResult, *reportOut, error) {
	from, errFrom := time.Parse(time.DateOnly, in.From)
	to, errTo := time.Parse(time.DateOnly, in.To)
	if errFrom != nil || errTo != nil {
		return nil, nil, refuse("invalid_date", "from and to are dates as 2026-03-31")
	}
	sums := map[string]int{}
	for _, o := range t.shop.orders {
		placed, _ := time.Parse(time.DateOnly, o.Placed)
		if placed.Before(from) || placed.After(to) {
			continue
		}
		for _, sku := range o.SKUs {
			sums[t.shop.bySKU[sku].Subject] += t.shop.bySKU[sku].PriceCents
		}
	}
	var out reportOut // Rows stays nil in an empty period and is marshalled as null
	for subject, cents := range sums {
		out.Rows = append(out.Rows, reportRow{Subject: subject, SalesCents: cents})
	}
	slices.SortFunc(out.Rows, func(a, b reportRow) int { return b.SalesCents - a.SalesCents })
	return nil, &out, nil
}

func (t *tools) exportCSV(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	var text strings.Builder
	w := csv.NewWriter(&text)
	for _, b := range t.shop.books {
		_ = w.Write([]string{b.SKU, b.Title, b.Author})
	}
	w.Flush()
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text.String()}}}, nil, nil
}

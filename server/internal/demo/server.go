package demo

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serverName and serverVersion are what the shop's server says in its handshake.
const (
	serverName    = "bookshop"
	serverVersion = "1.4.0"
)

// newServer makes the shop's MCP server: eleven tools, a resource and a prompt on the official SDK. How
// they fail is how servers fail in public: guards, refusals, a moody upstream,
// a schema that models trip over, and a bug.
func newServer(s *shop, carrierURL string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: serverName, Title: "Bookshop", Version: serverVersion}, nil)
	t := &tools{shop: s, carrier: newCarrier(carrierURL)}
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}

	mcp.AddTool(server, &mcp.Tool{
		Name: "search_books", Annotations: readOnly,
		Description: "Search the catalogue by words in title, author or subject.",
	}, t.searchBooks)
	mcp.AddTool(server, &mcp.Tool{
		Name: "get_book", Annotations: readOnly,
		Description: "One book by its SKU, for example BK-1004.",
	}, t.getBook)
	mcp.AddTool(server, &mcp.Tool{
		Name: "check_stock", Annotations: readOnly,
		Description: "How many copies of a book a warehouse holds. Warehouses: leipzig, lyon.",
	}, guarded(t.checkStock))
	mcp.AddTool(server, &mcp.Tool{
		Name: "list_orders", Annotations: readOnly, InputSchema: listOrdersSchema(),
		Description: "A customer's orders, optionally of one status.",
	}, t.listOrders)
	mcp.AddTool(server, &mcp.Tool{
		Name: "get_order", Annotations: readOnly, InputSchema: getOrderSchema(),
		Description: "One order by its id.",
	}, t.getOrder)
	mcp.AddTool(server, &mcp.Tool{
		Name: "get_customer", Annotations: readOnly,
		Description: "A customer by id, for example cus_012.",
	}, t.getCustomer)
	mcp.AddTool(server, &mcp.Tool{
		Name:        "refund_order",
		Description: "Refund a dispatched order, whole or in part.",
	}, t.refundOrder)
	mcp.AddTool(server, &mcp.Tool{
		Name: "quote_shipping", Annotations: readOnly,
		Description: "Ask the carrier what a parcel costs.",
	}, t.quoteShipping)
	mcp.AddTool(server, &mcp.Tool{
		Name: "convert_price", Annotations: readOnly,
		Description: "Convert an amount between EUR, GBP, SEK and USD at fixed shop rates.",
	}, t.convertPrice)
	mcp.AddTool(server, &mcp.Tool{
		Name: "sales_report", Annotations: readOnly, OutputSchema: reportSchema(),
		Description: "Sales per subject between two dates (YYYY-MM-DD).",
	}, t.salesReport)
	mcp.AddTool(server, &mcp.Tool{
		Name: "export_csv", Annotations: readOnly,
		Description: "The whole catalogue as CSV.",
	}, t.exportCSV)
	server.AddResource(&mcp.Resource{URI: hoursURI, Name: "opening hours", MIMEType: "text/plain"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: hoursURI, MIMEType: "text/plain", Text: "Monday to Saturday, 10 to 19"}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: giftPrompt, Description: "Find a present for somebody."}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Suggest three books for a present."}}}}, nil
	})
	return server
}

// What the shop has beside its tools.
const (
	hoursURI   = "shop://opening-hours"
	giftPrompt = "gift_ideas"
)

// guarded is the wrapper that many servers have: a panic of the handler becomes
// an error, so that the process lives. Umpire still knows it for what it is,
// since a runtime error is in the chain (outcomes.md 2.3).
func guarded[In, Out any](handler mcp.ToolHandlerFor[In, Out]) mcp.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, req *mcp.CallToolRequest, in In) (res *mcp.CallToolResult, out Out, err error) {
		defer func() {
			if r := recover(); r != nil {
				var bug runtime.Error
				if e, ok := r.(error); ok && errors.As(e, &bug) {
					err = fmt.Errorf("internal error: %w", bug)
					return
				}
				err = fmt.Errorf("internal error: %v", r)
			}
		}()
		return handler(ctx, req, in)
	}
}

// refusal is an error that is expected: it has a name for the figures and a
// sentence for the model.
type refusal struct{ name, text string }

func (r *refusal) Error() string        { return r.text }
func (r *refusal) MCPErrorType() string { return r.name }

func refuse(name, format string, args ...any) error {
	return &refusal{name: name, text: fmt.Sprintf(format, args...)}
}

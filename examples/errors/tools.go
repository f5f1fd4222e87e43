package main

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// The guards of the input. Their texts are for the model.
var (
	errNoNumber  = errors.New("say which ticket: number is empty")
	errNeither   = errors.New("say which customer: give mail or number")
	errBoth      = errors.New("give mail or number, not both")
	errNoService = errors.New("the address of the customers is not set: tell the operator")
)

type ticketIn struct {
	Number string `json:"number" jsonschema:"number of the ticket, such as T-100"`
}

// getTicket has one guard and one question to a service. Each takes one line to
// have a name.
func (d *desk) getTicket(ctx context.Context, _ *mcp.CallToolRequest, in ticketIn) (*mcp.CallToolResult, record, error) {
	if in.Number == "" {
		return nil, record{}, umpire.Refuse("missing_argument", errNoNumber)
	}
	ticket, status, err := d.ask(ctx, d.tickets, "tickets", in.Number)
	if err != nil {
		return nil, record{}, umpire.Upstream(err, status) // http:404, timeout, connection_refused …
	}
	return nil, ticket, nil
}

type customerIn struct {
	Mail   string `json:"mail,omitempty"`
	Number string `json:"number,omitempty"`
}

// getCustomer has the other guards that many tools have.
func (d *desk) getCustomer(ctx context.Context, _ *mcp.CallToolRequest, in customerIn) (*mcp.CallToolResult, record, error) {
	switch {
	case d.customers == "":
		return nil, record{}, umpire.Refuse("invalid_config", errNoService)
	case in.Mail == "" && in.Number == "":
		return nil, record{}, umpire.Refuse("missing_argument", errNeither)
	case in.Mail != "" && in.Number != "":
		return nil, record{}, umpire.Refuse("conflicting_arguments", errBoth)
	}
	customer, status, err := d.ask(ctx, d.customers, "customers", in.Mail+in.Number)
	if err != nil {
		return nil, record{}, umpire.Upstream(err, status)
	}
	return nil, customer, nil
}

package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire"
)

// olderWords are the descriptions that some tools had in the version before.
var olderWords = map[string]string{
	"search_books": "Search books.",
	"list_orders":  "Orders of a customer.",
	"refund_order": "Refund an order.",
}

// list records what the shop's server listed in both of its versions: as it lists its
// tools now from the release on, and before with other words and without export_csv.
func (h *historian) list(ctx context.Context, from, released time.Time) error {
	now, err := definitions(ctx)
	if err != nil {
		return err
	}
	var before []umpire.ToolDefinition
	for _, d := range now {
		if text, other := olderWords[d.Name]; other {
			d.Bytes += len(text) - len(d.Description)
			d.Description = text
			d.Definition = d.Hash()
		}
		before = append(before, d)
	}
	before = slices.DeleteFunc(before, func(d umpire.ToolDefinition) bool { return d.Name == "export_csv" })
	for _, l := range []struct {
		at    time.Time
		days  int
		tools []umpire.ToolDefinition
	}{{from, Days, before}, {released, 0, now}} {
		h.client.Record(umpire.Event{
			ID: umpire.NewID(), Kind: "catalog", StartedAt: l.at, Tools: l.tools, Transport: "http", Protocol: "2025-11-25",
			Server: umpire.Peer{Name: serverName, Version: serverVersionOn(l.days), Env: "demo"}, Meta: map[string]any{"demo": true},
		})
	}
	return nil
}

// definitions are the tools as the shop's server lists them.
func definitions(ctx context.Context) ([]umpire.ToolDefinition, error) {
	s, err := newShop()
	if err != nil {
		return nil, err
	}
	ours, theirs := mcp.NewInMemoryTransports()
	serving, err := newServer(s, "").Connect(ctx, theirs, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot start the bookshop in process: %w", err)
	}
	defer func() { _ = serving.Close() }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "history", Version: "1"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to the bookshop in process: %w", err)
	}
	defer func() { _ = session.Close() }()
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot list the bookshop's tools: %w", err)
	}
	var out []umpire.ToolDefinition
	for _, t := range listed.Tools {
		d := umpire.ToolDefinition{Name: t.Name, Title: t.Title, Description: t.Description}
		if d.InputSchema, err = json.Marshal(t.InputSchema); err != nil {
			return nil, fmt.Errorf("cannot write down the schema of %q: %w", t.Name, err)
		}
		if t.Annotations != nil {
			d.Annotations, _ = json.Marshal(t.Annotations) // of booleans
		}
		whole, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("cannot write down the tool %q: %w", t.Name, err)
		}
		d.Bytes, d.Definition = len(whole), d.Hash()
		out = append(out, d)
	}
	return out, nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// numbered is the argument of every tool about one parcel.
type numbered struct {
	Number string `json:"number" jsonschema:"parcel number, such as PX-1001"`
}

// addTools adds the tools, and with fragile the one that ends the process.
func addTools(server *mcp.Server, fragile bool) {
	mcp.AddTool(server, &mcp.Tool{
		Name: "track_parcel", Description: "Where a parcel is now.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, trackParcel)
	mcp.AddTool(server, &mcp.Tool{
		Name: "list_parcels", Description: "The parcels that go to a city.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, listParcels)
	mcp.AddTool(server, &mcp.Tool{
		Name: "quote_price", Description: "The price of sending a parcel of up to 30 kg.",
		InputSchema: json.RawMessage(`{
			"type": "object",
			"properties": {
				"weight_kg": {"type": "number", "exclusiveMinimum": 0, "maximum": 30},
				"speed": {"type": "string", "enum": ["standard", "express"]}
			},
			"required": ["weight_kg", "speed"],
			"additionalProperties": false
		}`),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, quotePrice)
	mcp.AddTool(server, &mcp.Tool{
		Name: "cancel_parcel", Description: "Stops a parcel that is not delivered yet.",
	}, cancelParcel)
	mcp.AddTool(server, &mcp.Tool{
		Name: "print_label", Description: "The label of a parcel.",
		OutputSchema: json.RawMessage(`{
			"type": "object",
			"properties": {"number": {"type": "string"}, "barcode": {"type": "string", "minLength": 13}},
			"required": ["number", "barcode"]
		}`),
	}, printLabel)
	mcp.AddTool(server, &mcp.Tool{
		Name: "count_depot", Description: "Counts the parcels in the depot, shelf by shelf; a tenth of a second for each.",
	}, countParcels)
	if fragile {
		mcp.AddTool(server, &mcp.Tool{Name: "sort_by_hand", Description: "Puts a parcel on the shelf of its city."}, sortByHand)
	}
}

// trackParcel is ok for a parcel that exists, and else a tool error that has a
// name: ParcelNotFound.
func trackParcel(_ context.Context, _ *mcp.CallToolRequest, in numbered) (*mcp.CallToolResult, parcel, error) {
	p, err := find(in.Number)
	return nil, p, err
}

type listing struct {
	Parcels []parcel `json:"parcels"`
	Total   int      `json:"total"`
}

// listParcels is empty for a city that nothing goes to.
func listParcels(_ context.Context, _ *mcp.CallToolRequest, in struct {
	City string `json:"city" jsonschema:"city of the recipient"`
},
) (*mcp.CallToolResult, listing, error) {
	found := bound(in.City)
	return nil, listing{Parcels: append([]parcel{}, found...), Total: len(found)}, nil
}

// quotePrice has a schema that models get wrong: bad args, and it never runs.
func quotePrice(_ context.Context, _ *mcp.CallToolRequest, in struct {
	WeightKG float64 `json:"weight_kg"`
	Speed    string  `json:"speed"`
},
) (*mcp.CallToolResult, any, error) {
	cents := price(in.WeightKG, in.Speed == "express")
	return say(fmt.Sprintf("%.1f kg, %s: %d.%02d euros", in.WeightKG, in.Speed, cents/100, cents%100)), nil, nil
}

// cancelParcel says no by a result of its own making, and names the refusal.
func cancelParcel(_ context.Context, _ *mcp.CallToolRequest, in numbered) (*mcp.CallToolResult, any, error) {
	p, err := find(in.Number)
	if err != nil {
		return nil, nil, err
	}
	if p.Status == "delivered" {
		no := say(fmt.Sprintf("Parcel %s is delivered already and cannot be stopped.", p.Number))
		no.IsError = true
		no.Meta = mcp.Meta{"umpire/errorType": "AlreadyDelivered"}
		return no, nil, nil
	}
	return say(fmt.Sprintf("Parcel %s to %s is stopped.", p.Number, p.To)), nil, nil
}

type label struct {
	Number  string `json:"number"`
	Barcode string `json:"barcode"`
}

// printLabel breaks its own output schema for a parcel without a barcode, which
// counts as a crash: a bug that nothing the model does can help.
func printLabel(_ context.Context, _ *mcp.CallToolRequest, in numbered) (*mcp.CallToolResult, label, error) {
	p, err := find(in.Number)
	if err != nil {
		return nil, label{}, err
	}
	return nil, label{p.Number, p.barcode}, nil
}

// countParcels is for clients that lose patience.
func countParcels(ctx context.Context, _ *mcp.CallToolRequest, in struct {
	Shelves int `json:"shelves" jsonschema:"how many shelves to count"`
},
) (*mcp.CallToolResult, any, error) {
	n, err := countDepot(ctx, in.Shelves)
	if err != nil {
		return nil, nil, err
	}
	return say(fmt.Sprintf("%d parcels", n)), nil, nil
}

type shelf struct{ parcels []parcel }

// sortByHand looks for a shelf that nobody put up, and takes the process with it.
func sortByHand(_ context.Context, _ *mcp.CallToolRequest, in numbered) (*mcp.CallToolResult, any, error) {
	p, err := find(in.Number)
	if err != nil {
		return nil, nil, err
	}
	shelves := map[string]*shelf{"Ghent": {}}
	at := shelves[p.To]
	at.parcels = append(at.parcels, p)
	return say("sorted"), nil, nil
}

func say(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

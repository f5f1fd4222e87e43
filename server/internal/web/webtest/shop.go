package webtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// Now is the clock of the made-up data.
var Now = time.Date(2026, 11, 30, 14, 22, 31, 0, time.UTC)

// Shop is two weeks of a server with ten tools and six clients, always the same.
func Shop() *Memory {
	random := rand.New(rand.NewPCG(1, 2))
	type tool struct {
		name                     string
		weight                   float64
		empty, bad, failed, boom float64
		ms                       float64
	}
	tools := []tool{
		{"search_orders", 30, 0.03, 0.04, 0.004, 0.0008, 210},
		{"get_customer", 20, 0, 0.002, 0.02, 0, 60},
		{"get_order", 18, 0, 0.01, 0.012, 0.0004, 45},
		{"list_shipments", 11, 0.06, 0.02, 0.01, 0, 320},
		{"update_address", 6, 0, 0.16, 0.03, 0.002, 140},
		{"refund_order", 4, 0, 0, 0.22, 0.035, 700},
		{"quote_delivery", 7, 0.01, 0.24, 0.015, 0, 480},
		{"summarise_reviews", 3, 0.02, 0.01, 0.02, 0.004, 4200},
		{"create_label", 2, 0, 0.05, 0.08, 0, 900},
	}
	clients := []struct {
		name     string
		versions []string
		weight   float64
	}{
		{"claude-desktop", []string{"0.14.2", "0.14.9", "0.15.0", "0.15.1"}, 40},
		{"cursor-vscode", []string{"2.3.1"}, 25}, {"claude-code", []string{"2.0.61", "2.0.64"}, 20},
		{"chatgpt", nil, 10}, {"mcp-inspector", []string{"0.17.2"}, 2},
		{store.Unknown, nil, 3},
	}
	m := &Memory{Cancelled: 41, SetAside: 3, OtherKinds: map[string]int64{"elicitation": 7}}
	start := Now.Add(-16 * 24 * time.Hour).Truncate(time.Hour)
	session := 0
	for at := start; at.Before(Now); {
		hour := float64(at.Hour())
		rush := 0.25 + 0.75*math.Exp(-(hour-14)*(hour-14)/30)
		if w := at.Weekday(); w == time.Saturday || w == time.Sunday {
			rush *= 0.45
		}
		at = at.Add(time.Duration(random.ExpFloat64() * 150 / rush * float64(time.Second)))
		session++
		pick := random.Float64() * 100
		k := 0
		for pick > clients[k].weight && k < len(clients)-1 {
			pick -= clients[k].weight
			k++
		}
		client := clients[k]
		for range 1 + random.IntN(5) {
			pick := random.Float64() * 101
			j := 0
			for pick > tools[j].weight && j < len(tools)-1 {
				pick -= tools[j].weight
				j++
			}
			t := tools[j]
			c := Call{
				At: at, Tool: t.name, Client: client.name, Slice: "ok",
				US:      int64(t.ms * 1000 * math.Exp(random.NormFloat64()*0.7)),
				Session: fmt.Sprint("s", session),
			}
			if len(client.versions) > 0 {
				c.Version = client.versions[min(int(at.Sub(start).Hours()/100), len(client.versions)-1)]
			}
			if client.name == store.Unknown {
				c.Session = ""
			}
			switch x := random.Float64(); {
			case x < t.boom:
				c.Slice, c.Cause, c.ErrorType, c.Message, c.Fingerprint = "crashed", "panic", "runtime.boundsError", "runtime error: index out of range [3] with length 3", t.name+"-boom"
			case x < t.boom+t.failed:
				c.Slice, c.Cause, c.ErrorType, c.Message, c.Fingerprint = "tool_error", "returned", "payments.RefusedError:409", "order "+t.name+" is already closed; customer [EMAIL_REDACTED] has no open refund", t.name+"-no"
				if random.IntN(3) == 0 {
					c.ErrorType, c.Cause, c.Message, c.Fingerprint = "", "result", "Try again in a minute.", t.name+"-later"
				}
			case x < t.boom+t.failed+t.bad:
				c.Slice, c.Cause, c.Message, c.Fingerprint = "bad_args", "schema", `validating "arguments": validating /properties/country: enum: Germany does not equal any of: [DE FR NL]`, t.name+"-args"
				c.US = 90 + random.Int64N(400)
			case x < t.boom+t.failed+t.bad+t.empty:
				c.Slice = "empty"
			}
			c.Retry = c.Slice == "ok" && random.IntN(25) == 0
			m.Calls = append(m.Calls, c)
			at = at.Add(time.Duration(random.IntN(9000)) * time.Millisecond)
		}
	}
	for _, t := range append(tools, tool{name: "export_csv"}) {
		m.Listed = append(m.Listed, store.CatalogRow{Server: "orders", Tool: t.name, Title: strings.ReplaceAll(t.name, "_", " "), Description: "Looks things up in the shop.\nAnswers with a list, newest first.", Bytes: 812, Definition: "9f3a1c20b7d84e55", FirstSeen: start, LastSeen: Now})
	}
	m.Versions = []store.DefinitionRow{{Definition: "51c09be7a2f04d18", Bytes: 740, FirstSeen: start}, {Definition: "9f3a1c20b7d84e55", Bytes: 812, FirstSeen: Now.Add(-60 * time.Hour)}}
	m.Unknown = []store.UnknownToolRow{
		{Name: "searchOrders", Calls: 17, Nearest: []string{"search_orders"}, Clients: 2},
		{Name: "get_invoice", Calls: 4, Nearest: []string{"get_order", "get_customer"}, Clients: 1},
		{Name: "python", Calls: 1, Clients: 1},
	}
	for _, t := range []string{"quote_delivery", "update_address", "search_orders"} {
		m.Refused = append(m.Refused,
			store.BadParamRow{Tool: t, Path: "/country", Rule: "enum", Calls: 120, Clients: 4, Near: "DE"},
			store.BadParamRow{Tool: t, Path: "/weight_kg", Rule: "type", Calls: 31, Clients: 2},
			store.BadParamRow{Tool: t, Path: "/postcode", Rule: "required", Calls: 12, Clients: 3},
			store.BadParamRow{Tool: t, Path: "/zip", Rule: "unknown_property", Calls: 9, Clients: 1, Near: "postcode"})
	}
	m.Empties = []store.NameCount{{Name: "empty_list", Calls: 37}, {Name: "no_content", Calls: 4}}
	m.Marks = []store.NameCount{{Name: "error_text", Calls: 12}, {Name: "envelope_error", Calls: 3}}
	m.Before = []store.NameCount{{Name: "get_customer", Calls: 410}, {Name: "search_orders", Calls: 333}}
	m.After = []store.NameCount{{Name: "get_order", Calls: 702}, {Name: "search_orders", Calls: 95}}
	return m
}

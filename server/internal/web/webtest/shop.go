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

// shopTool is a tool of the shop: how often it is called and how it ends.
type shopTool struct {
	name                                 string
	weight, empty, bad, failed, boom, ms float64
}

var shopTools = []shopTool{
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

// shopClient is a client of the shop, with the versions that it went through.
type shopClient struct {
	name     string
	weight   float64
	versions []string
}

var shopClients = []shopClient{
	{"claude-desktop", 40, []string{"0.14.2", "0.14.9", "0.15.0", "0.15.1"}},
	{"cursor-vscode", 25, []string{"2.3.1"}},
	{"claude-code", 20, []string{"2.0.61", "2.0.64"}},
	{"chatgpt", 10, nil},
	{"mcp-inspector", 2, []string{"0.17.2"}},
	{store.Unknown, 3, nil},
}

// Shop is two weeks of a server with ten tools and six clients, always the same.
func Shop() *Memory {
	random := rand.New(rand.NewPCG(1, 2))
	m := &Memory{Cancelled: 41, SetAside: 3, OtherKinds: map[string]int64{"elicitation": 7}}
	start := Now.Add(-16 * 24 * time.Hour).Truncate(time.Hour)
	for at, session := start, 1; at.Before(Now); session++ {
		at = at.Add(time.Duration(random.ExpFloat64() * 150 / rush(at) * float64(time.Second)))
		client := pick(random, shopClients, func(c shopClient) float64 { return c.weight })
		for range 1 + random.IntN(5) {
			tool := pick(random, shopTools, func(t shopTool) float64 { return t.weight })
			c := tool.call(random)
			c.At, c.Client = at, client.name
			if len(client.versions) > 0 {
				c.Version = client.versions[min(int(at.Sub(start).Hours()/100), len(client.versions)-1)]
			}
			if client.name != store.Unknown {
				c.Session = fmt.Sprint("s", session)
			}
			m.Calls = append(m.Calls, c)
			at = at.Add(time.Duration(random.IntN(9000)) * time.Millisecond)
		}
	}
	m.describe(start)
	return m
}

// rush is how busy the shop is, up to 1: in the afternoon more than at night.
func rush(at time.Time) float64 {
	hour := float64(at.Hour())
	busy := 0.25 + 0.75*math.Exp(-(hour-14)*(hour-14)/30)
	if w := at.Weekday(); w == time.Saturday || w == time.Sunday {
		busy *= 0.45
	}
	return busy
}

// pick chooses one of the list by weight.
func pick[T any](random *rand.Rand, list []T, weight func(T) float64) T {
	total := 0.0
	for _, one := range list {
		total += weight(one)
	}
	at := random.Float64() * total
	for _, one := range list {
		if at -= weight(one); at < 0 {
			return one
		}
	}
	return list[len(list)-1]
}

// shopRefusals are the tools that refuse in another way than most.
var shopRefusals = map[string]Call{
	"list_shipments":    {ErrorType: "timeout", Message: "the carrier did not answer within 10s"},
	"summarise_reviews": {ErrorType: "reviews.Response:503", Status: 503, Message: "GET https://reviews.example/v2: 503 Service Unavailable"},
	"create_label":      {ErrorType: "carrier.Response:429", Status: 429, Message: "429 Too Many Requests: try again in 30 s"},
	"get_customer":      {ErrorType: "connection_refused", Message: "dial tcp 10.0.3.7:5432: connect: connection refused"},
}

// shopSchema is what the tools of the shop take.
const shopSchema = `{"type":"object","properties":{"country":{"type":"string","enum":["DE","FR","NL"]},"weight_kg":{"type":"number","minimum":0.1},"postcode":{"type":"string","description":"where it goes to"}},"required":["country","postcode"],"additionalProperties":false}`

// call is one call of the tool and how it ended.
func (t shopTool) call(random *rand.Rand) Call {
	c := Call{Tool: t.name, Slice: "ok", US: int64(t.ms * 1000 * math.Exp(random.NormFloat64()*0.7))}
	switch x := random.Float64(); {
	case x < t.boom:
		c.Slice, c.Cause, c.ErrorType, c.Fingerprint = "crashed", "panic", "runtime.boundsError", t.name+"-boom"
		c.Message = "runtime error: index out of range [3] with length 3"
	case x < t.boom+t.failed && random.IntN(3) == 0:
		c.Slice, c.Cause, c.Message, c.Fingerprint = "tool_error", "result", "Try again in a minute.", t.name+"-later"
	case x < t.boom+t.failed:
		c.Slice, c.Cause, c.ErrorType, c.Fingerprint = "tool_error", "returned", "payments.RefusedError:409", t.name+"-no"
		c.Message, c.Status = "the order is already closed; customer [EMAIL_REDACTED] has no open refund", 409
		if other, known := shopRefusals[t.name]; known {
			c.ErrorType, c.Status, c.Message = other.ErrorType, other.Status, other.Message
		}
	case x < t.boom+t.failed+t.bad:
		c.Slice, c.Cause, c.Fingerprint = "bad_args", "schema", t.name+"-args"
		c.Message = `validating "arguments": validating /properties/country: enum: Germany does not equal any of: [DE FR NL]`
		c.US = 90 + random.Int64N(400)
	case x < t.boom+t.failed+t.bad+t.empty:
		c.Slice = "empty"
	default:
		c.Retry = random.IntN(25) == 0
	}
	return c
}

// describe fills in what is not counted from calls.
func (m *Memory) describe(start time.Time) {
	for _, t := range append([]shopTool{{name: "export_csv"}}, shopTools...) {
		m.Listed = append(m.Listed, store.CatalogRow{
			Server: "orders", Tool: t.name, Title: strings.ReplaceAll(t.name, "_", " "), Bytes: 812, Definition: "9f3a1c20b7d84e55", InputSchema: shopSchema,
			Description: "Looks things up in the shop.\nAnswers with a list, newest first.", FirstSeen: start, LastSeen: Now,
		})
	}
	m.Versions = []store.DefinitionRow{
		{
			Definition: "51c09be7a2f04d18", Bytes: 740, FirstSeen: start, LastSeen: Now.Add(-60 * time.Hour), Description: "Looks things up in the shop.",
			InputSchema: strings.Replace(shopSchema, `,"minimum":0.1`, "", 1),
		},
		{
			Definition: "9f3a1c20b7d84e55", Bytes: 812, FirstSeen: Now.Add(-60 * time.Hour), LastSeen: Now,
			Description: "Looks things up in the shop.\nAnswers with a list, newest first.", InputSchema: shopSchema,
		},
	}
	m.Changed = []store.ChangeRow{
		{Kind: store.ChangeDefinition, Server: "orders", Name: "quote_delivery", Before: "51c09be7a2f04d18", Value: "9f3a1c20b7d84e55", At: Now.Add(-100 * time.Hour)},
		{Kind: store.ChangeVersion, Server: "orders", Name: "orders", Before: "1.4.0", Value: "1.5.0", At: Released},
		{Kind: store.ChangeSDK, Name: "umpire-go", Before: "0.1.0", Value: "0.2.0", At: Released},
	}
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
	m.Empties = []store.NameCount{{Name: "structured:empty_list", Calls: 37}, {Name: "no_content", Calls: 4}}
	m.Marks = []store.NameCount{{Name: "error_text", Calls: 12}, {Name: "envelope_error", Calls: 3}}
	m.Before = []store.NameCount{{Name: "get_customer", Calls: 410}, {Name: "search_orders", Calls: 333}}
	m.After = []store.NameCount{{Name: "get_order", Calls: 702}, {Name: "search_orders", Calls: 95}}
}

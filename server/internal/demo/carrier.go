package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// carrier is the client of the upstream. It waits half a second for a quote.
type carrier struct {
	base string
	http *http.Client
}

func newCarrier(base string) *carrier {
	return &carrier{base: base, http: &http.Client{Timeout: 500 * time.Millisecond}}
}

// CarrierError is an answer of the carrier that is no quote. Its status is found
// on the error's chain and becomes part of the failure's name (outcomes.md 5.1).
type CarrierError struct{ Status int }

func (e *CarrierError) Error() string   { return fmt.Sprintf("the carrier answered %d", e.Status) }
func (e *CarrierError) StatusCode() int { return e.Status }

type quote struct {
	PriceCents int `json:"price_cents"`
	Days       int `json:"days"`
}

func (c *carrier) quote(ctx context.Context, country string, grams int) (quote, error) {
	address := c.base + "/quote?country=" + url.QueryEscape(country) + "&grams=" + strconv.Itoa(grams)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return quote{}, fmt.Errorf("cannot ask the carrier: %w", err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return quote{}, fmt.Errorf("cannot reach the carrier: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return quote{}, fmt.Errorf("cannot quote shipping: %w", &CarrierError{Status: res.StatusCode})
	}
	var q quote
	if err := json.NewDecoder(res.Body).Decode(&q); err != nil {
		return quote{}, fmt.Errorf("cannot read the carrier's answer: %w", err)
	}
	return q, nil
}

type shippingIn struct {
	Country string `json:"country" jsonschema:"two-letter country code"`
	Grams   int    `json:"grams" jsonschema:"weight of the parcel in grams"`
}

func (t *tools) quoteShipping(ctx context.Context, _ *mcp.CallToolRequest, in shippingIn) (*mcp.CallToolResult, quote, error) {
	if len(in.Country) != 2 {
		return nil, quote{}, refuse("invalid_country", "country is a code of two letters, such as DE")
	}
	q, err := t.carrier.quote(ctx, in.Country, in.Grams)
	return nil, q, err
}

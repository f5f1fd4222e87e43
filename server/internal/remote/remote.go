// Package remote asks a running Umpire: the read API over HTTP, for the command
// line.
//
// In: an address, an optional read key, a path and filters. Out: the decoded
// answer, or the server's own error with its hint. It never prints a key.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Get asks the read API at base (scheme and host) with an optional key.
func Get(ctx context.Context, client *http.Client, base, key, path string, query url.Values, out any) error {
	return Do(ctx, client, http.MethodGet, base, key, path, query, nil, out)
}

// Do is Get with another method, and a body unless in is nil.
func Do(ctx context.Context, client *http.Client, method, base, key, path string, query url.Values, in, out any) error {
	address := base + path
	if text := query.Encode(); text != "" {
		address += "?" + text
	}
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("cannot write the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return fault.Wrap(err, fault.BadRequest, "cannot read the address "+base, "give it as http://host:port")
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := client.Do(req)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "cannot reach Umpire at "+base, "is umpire serve running there? --to names another address")
	}
	defer res.Body.Close()
	return Decode(res, out)
}

// Decode reads an answer in the shape that the socket and the read API share: the
// value, or {"error":{code,message,hint}}, which comes back as a *fault.Error.
func Decode(res *http.Response, out any) error {
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("cannot read the answer: %w", err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		var failed fault.Body
		if json.Unmarshal(text, &failed) == nil && failed.Error != nil {
			return failed.Error
		}
		return fault.New(fault.Internal, "the server answered "+res.Status, "see the server's log")
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("cannot read the answer: %w", err)
	}
	return nil
}

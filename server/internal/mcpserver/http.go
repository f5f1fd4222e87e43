package mcpserver

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

// Path is where the endpoint is, and MetadataPath where its protected-resource
// metadata is (RFC 9728), also with Path behind it.
const (
	Path         = "/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource"
)

// maxBody bounds a request: every question is short.
const maxBody = 256 << 10

// Gate lets a request in, or says why not.
type Gate func(*http.Request) error

// Handler serves the tools over Streamable HTTP, to whoever gate lets in. There
// are no sessions: each request carries its key and is checked by itself, and
// requests of every protocol version are answered.
//
// public is the address that clients use, "" for the one that a request was sent to.
func Handler(s *mcp.Server, gate Gate, public string) http.Handler {
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		// The gate checks Host and Origin of requests without a key; one with a key
		// may come through a proxy that has another name.
		DisableLocalhostProtection: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if err := gate(r); err != nil {
			refuse(w, r, fault.From(err), public)
			return
		}
		streamable.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, r *http.Request, f *fault.Error, public string) {
	if f.Code == fault.Unauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="umpire", resource_metadata="`+address(r, public)+MetadataPath+Path+`"`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status())
	_ = json.NewEncoder(w).Encode(fault.Body{Error: f}) // the asker may be gone
}

// metadata is RFC 9728: there is no server that gives out tokens, a person makes
// them with `umpire key add --read`.
type metadata struct {
	Resource string   `json:"resource"`
	Name     string   `json:"resource_name"`
	Methods  []string `json:"bearer_methods_supported"`
}

// Metadata describes the endpoint to a client that has no key yet.
func Metadata(public string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Access-Control-Allow-Origin", "*") // it holds nothing but the address that was asked
		_ = json.NewEncoder(w).Encode(metadata{Resource: address(r, public) + Path, Name: "Umpire", Methods: []string{"header"}})
	})
}

func address(r *http.Request, public string) string {
	if public != "" {
		return strings.TrimRight(public, "/")
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + strings.Map(hostRune, r.Host)
}

// hostRune keeps what can be in a host and a port, so that a header stays one.
func hostRune(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune(".-:[]_", c):
		return c
	}
	return -1
}

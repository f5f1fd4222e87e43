package proxy

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// target is where requests go.
type target struct {
	url   *url.URL
	local bool // on this machine
}

func newTarget(upstream string) (target, error) {
	u, err := url.Parse(upstream)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return target{}, fmt.Errorf("%w: --upstream must begin with http:// or https:// and name a host", ErrUsage)
	}
	u.Fragment, u.RawFragment = "", ""
	return target{url: u, local: isLoopback(upstream)}, nil
}

// direct sends a request to the target. The address of one endpoint
// (https://host/mcp) answers for the root; every other path stays what it is, so
// that /mcp and what the server has beside it (/.well-known/…) are found, too. An
// address that ends in a slash (https://host/team/) is a prefix of every path. A
// query of the address goes along.
func (t target) direct(r *http.Request) {
	u := r.URL
	u.Scheme, u.Host = t.url.Scheme, t.url.Host
	r.Host = "" // the target's own
	base := t.url.EscapedPath()
	path := u.EscapedPath()
	switch {
	case strings.HasSuffix(base, "/") && base != "/":
		path = base + strings.TrimPrefix(path, "/")
	case path == "" || path == "/":
		if base != "" {
			path = base
		}
	}
	if plain, err := url.PathUnescape(path); err == nil {
		u.Path, u.RawPath = plain, path
	}
	switch {
	case t.url.RawQuery == "":
	case u.RawQuery == "":
		u.RawQuery = t.url.RawQuery
	default:
		u.RawQuery = t.url.RawQuery + "&" + u.RawQuery
	}
	if t.url.User != nil && r.Header.Get("Authorization") == "" {
		password, _ := t.url.User.Password()
		r.SetBasicAuth(t.url.User.Username(), password)
	}
}

// back brings an address that the server redirects to under the proxy, if it is
// one of the target's own: it reads as if the proxy were the server. Others, and
// what names no server, stay as they are.
func (t target) back(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != t.url.Scheme || !strings.EqualFold(u.Host, t.url.Host) {
		return location
	}
	u.Scheme, u.Host, u.User = "", "", nil
	path := u.EscapedPath()
	if base := t.url.EscapedPath(); strings.HasSuffix(base, "/") && base != "/" {
		rest, under := strings.CutPrefix(path, base)
		if !under {
			return location
		}
		path = "/" + rest
	}
	if path == "" || strings.HasPrefix(path, "//") { // the latter names a host
		return location
	}
	u.Path, u.RawPath = "", ""
	return path + u.String()
}

func equalHost(a, b string) bool {
	clean := func(s string) string { return strings.ToLower(strings.TrimSuffix(strings.Trim(s, "[]"), ".")) }
	return clean(a) == clean(b)
}

// Package web is the dashboard: pages rendered on the server that work without
// JavaScript, every view a URL that can be shared.
//
// In: requests, the questions of package query, the names of the projects. Out:
// HTML that formats what the questions answered. A page asks its questions side
// by side; one that fails or is slow shows its message in its own panel, and the
// rest of the page stays. It never computes a figure, never names a store, and
// never trusts a name that came from outside: names of tools and clients, and
// their messages, are text.
package web

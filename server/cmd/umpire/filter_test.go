package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/umpire-mcp/umpire/server/internal/query"
)

// FuzzFilters: whatever stands behind the flags of a question, the command line is read
// or refused, and every filter reaches the read API as it was given.
func FuzzFilters(f *testing.F) {
	f.Add("search_books", "cursor", "24h", "404")
	f.Add("a,b", "--json", "-1h", "x")
	f.Add("=cmd()", "\x00", "", "9999999999999999999")
	f.Add("", " ", "7d\n", "4xx")
	f.Fuzz(func(t *testing.T, tool, client, last, status string) {
		if !utf8.ValidString(tool + client + last + status) {
			return // no name has such a text
		}
		var c commands
		parser, err := kong.New(&c, kong.Name("umpire"), kong.Exit(func(int) { panic("it ends") }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse([]string{"errors", "--tool=" + tool, "--client=" + client, "--tool=second", "--last=" + last, "--error-status=" + status}); err != nil {
			return
		}
		v := c.Errors.values()
		for name, want := range map[string][]string{"tool": {tool, "second"}, "client": {client}, "last": {last}, "error_status": {status}} {
			if strings.Join(want, "") == "" {
				continue // as if it had not been given
			}
			if !slices.Equal(v[name], want) {
				t.Errorf("%s: %q, want %q", name, v[name], want)
			}
		}
	})
}

// TestEveryFilterIsAFlag: each filter of the read API is one of the command line.
func TestEveryFilterIsAFlag(t *testing.T) {
	f := filterFlags{Project: "x", Last: "x", From: "x", Until: "x", NewSince: "x"}
	one := []string{"x"}
	for _, list := range []*[]string{&f.Tool, &f.Client, &f.ClientVersion, &f.Platform, &f.Server, &f.Version, &f.Env, &f.Outcome, &f.Slice, &f.Cause, &f.ErrorType, &f.ErrorStatus, &f.ErrorClass, &f.Fingerprint, &f.EmptyRule, &f.Mark, &f.Session, &f.User} {
		*list = one
	}
	v := f.values()
	for _, name := range query.Names() {
		if v.Get(name) == "" && name != "granularity" { // which is no filter: a series is no table
			t.Errorf("no flag sets %s", name)
		}
	}
}

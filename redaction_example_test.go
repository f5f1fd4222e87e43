package umpire_test

import (
	"context"
	"fmt"
	"regexp"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/redact"
)

// Rules that are in the way are switched off by their name, and what only this
// company knows to be personal gets a rule of its own.
func ExampleOptions_redact() {
	client := umpire.New(umpire.Options{
		Redact: redact.Options{
			Off: []string{"ip"}, // our machines' addresses are no secret
			Extra: []redact.Rule{{
				Name: "badge",
				Find: regexp.MustCompile(`\bB-\d{4}\b`).FindStringIndex,
			}},
		},
		Observer: func(e umpire.Event) { fmt.Println(e.Meta["note"]) }, // in place of a server
	})
	client.Track(context.Background(), "door", map[string]any{"note": "B-1234 of bob@example.com came in at 10.0.0.1"})
	_ = client.Close(context.Background())
	// Output: [BADGE_REDACTED] of [EMAIL_REDACTED] came in at 10.0.0.1
}

package redact_test

import (
	"fmt"
	"regexp"

	"github.com/umpire-mcp/umpire/redact"
)

func ExampleString() {
	fmt.Println(redact.String("no account for bob@example.com (order ORD-40012)"))
	// Output: no account for [EMAIL_REDACTED] (order ORD-40012)
}

func ExampleNew() {
	r := redact.New(redact.Options{
		Off: []string{"ip", "national_id.de"},
		Extra: []redact.Rule{{
			Name: "badge",
			Find: regexp.MustCompile(`\bB-\d{4}\b`).FindStringIndex,
		}},
	})
	fmt.Println(r.String("badge B-1234 of bob@example.com is not known at 10.0.0.1"))
	// Output: badge [BADGE_REDACTED] of [EMAIL_REDACTED] is not known at 10.0.0.1
}

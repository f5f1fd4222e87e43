// Package upstream holds the names of errors (outcomes.md 5.1, 5.2) against the
// real clients of services that tools ask: GitHub, AWS, Google, gRPC, Azure,
// Kubernetes, Stripe. The root package finds what they know without importing
// them, so a change of theirs is to fail here.
//
// What flows in: errors that these clients make. What flows out: failing tests,
// and nothing else: nobody imports it, and it is a module of its own to keep
// these clients out of everybody's build.
package upstream

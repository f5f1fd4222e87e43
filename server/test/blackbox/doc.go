// Package blackbox runs the binary as its users do: serve, key, report, demo, with
// real processes, real clients and real signals. It knows the command line and
// the wire, and nothing inside.
package blackbox

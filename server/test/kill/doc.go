// Package kill holds one test: `umpire serve` is killed at random moments under
// load, and keeps its word. What it acknowledged is there once, and nothing twice.
package kill

// Package spec holds what Umpire promises on the wire and on disk: the event's
// schema, the read API, the log's format, a corpus of bodies and of judged calls.
// Its tests are the properties that hold the root package to docs/outcomes.md;
// they live in a module of their own because the root imports the standard
// library only, tests included.
//
// In: the root package's exported names and the files of this folder. Out: test
// results. Nothing imports it.
package spec

// Package storetest is the suite that every backend of the store passes: the same
// events in, the same numbers out.
//
// In: a function that opens an empty store. Out: a test that fails where the store
// differs from a recount of the same events in plain Go (recount.go), which follows
// docs/outcomes.md literally and slowly.
package storetest

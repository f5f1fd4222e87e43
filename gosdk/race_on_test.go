//go:build race

package gosdk_test

// raceEnabled: the race detector makes sync.Pool forget at random, so that
// allocations say nothing. `make test` counts them in a run without it.
const raceEnabled = true

//go:build !race

package gosdk_test

const raceEnabled = false

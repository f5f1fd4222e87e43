//go:build !race

package mcpgo_test

const raceEnabled = false

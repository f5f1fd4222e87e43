//go:build !race

package umpire

const raceEnabled = false

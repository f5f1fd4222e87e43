//go:build !drill

package main

import "time"

// What a drill puts its own in place of (go build -tags drill).
var (
	now        = time.Now // when an event is received
	beforeSync func()     // of the log
)

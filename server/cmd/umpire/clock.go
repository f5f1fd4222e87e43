//go:build !drill

package main

import "time"

// now is the machine's clock; a drill sets it.
var now = time.Now

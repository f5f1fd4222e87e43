// Package selfmetrics shows for Prometheus how Umpire itself does: what came in,
// what waits, what was set aside, and the process; and counts the calls that this
// node stored since it started, by tool and outcome.
//
// In: functions that tell the present figures, and batches that the store took. Out:
// the page at /metrics. A reader of one project never sees the calls of another, and
// no label has more values than a fixed number: what a caller makes up is "(other)".
package selfmetrics

// Package selfmetrics shows how Umpire itself does, for Prometheus: what came in,
// what waits, what was set aside, and the process.
//
// In: functions that tell the present figures. Out: an http.Handler for /metrics. It
// never shows a figure about somebody's tools, and has no label whose values a sender
// chooses.
package selfmetrics

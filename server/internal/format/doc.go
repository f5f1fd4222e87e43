// Package format is the one rulebook for how a number is written: counts, rates,
// durations, sizes, differences, and what stands where there is no number. The
// pages, the charts and the terminal report all write through it, so that the
// same figure never looks different in two places.
//
// In: the plain values of package query. Out: short strings, in English, with
// ordinary spaces and no markup. It never computes a figure that a query did not
// return, never rounds a part of something up to all of it, and never writes an
// infinity.
package format

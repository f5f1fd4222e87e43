// Package generate makes up traffic for benchmarks and drills: what several MCP
// servers would have sent, over weeks, with the shape that real traffic has.
//
// In: a seed, a number of events and a span of time. Out: the same events every
// time, in the order of their times, each as an umpire.Event and, if asked for,
// as the JSON that the native door takes. 60 tools and 12 clients by zipf's law,
// four projects of very different size, sessions of about nine events, bodies on
// a quarter of the calls, failures with names, retries after them.
//
// It never reads the clock, never opens a file or a connection, and holds no more
// than the sessions that are open at one moment.
package generate

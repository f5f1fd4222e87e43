// Package live shows events as they are stored, to whoever watches.
//
// In: batches that the store took, from the pipeline; on a node that takes no
// events, the newest calls of the store, asked for again and again. Out: a Watcher
// for each reader, with the newest events of one project. Every buffer is bounded: a
// slow reader is told how many events he missed, and nobody ever waits for him. It
// keeps nothing but the last few events of each project, never waits, and knows
// nothing of HTTP.
package live

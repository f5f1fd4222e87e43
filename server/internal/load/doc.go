// Package load sends generated events to a running server and keeps a ledger of
// what was acknowledged, outside of the server: for benchmarks and drills.
//
// In: an address, a key for each project, and how to send: connections, events in
// a batch, a rate, how many batches twice, in what disorder. Out: how fast it
// went, and the ledger, which knows each acknowledged id and, for each hour, tool
// and client, what the server must count.
//
// A batch is sent until it is acknowledged, over a new connection if need be, so
// that a server may be killed meanwhile. It never believes an answer that does not
// account for every event, and never looks into a store.
package load

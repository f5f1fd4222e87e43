// Package wal is the write-ahead log: what makes an acknowledgement true. An
// event that Append has returned for is on disk and survives the death of the
// process and of the machine.
//
// In: bodies with their project and the time they were received. Out: the
// sequence numbers they got, and, after a restart, the same bodies in the same
// order from Replay. One goroutine commits: it takes everything that waits,
// writes it in one go, syncs once, and wakes all who waited. The format on disk
// is spec/wal.md.
//
// It never reads a body, never acknowledges after a failed sync, never returns a
// record whose checksum does not match, and never skips damage without saying so.
package wal

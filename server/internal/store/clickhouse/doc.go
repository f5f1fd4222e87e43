// Package clickhouse keeps events in ClickHouse, for when one machine is not enough:
// several umpires write to it and read from it at once.
//
// In: batches of a node's log. Out: answers to the questions of store.Reader, by the
// same statements as the other store. It speaks ClickHouse's HTTP protocol. It never
// logs, and no error of it holds the password of the address.
//
// Every stored event is a row of event_rows with sign +1. Nothing is updated: what
// changes an event later (a late call that makes another one a retry, the SDK's word on
// what the proxy saw) inserts a row of -1 that takes the old one away and a row of +1.
// The rollups are materialized views over these rows and sum sign times count, so they
// are at any moment the sums of what is left; the view events shows what is left.
//
// A batch is applied exactly once. It is first one part of the table inbox, which is
// its commit; then it goes into event_rows under a deduplication token made of the
// node and the range of the log; then the position is noted and the inbox emptied. What
// a crash leaves in the inbox is applied again under the same token, whatever the
// pipeline sends next.
//
// Two nodes that feed one session at the same moment do not see each other's calls in
// time. Settle looks again at what was fed lately by more than one node, and corrects
// marks and duplicates. One node at a time does so, by a lease.
//
// Snapshot is no snapshot: ClickHouse has none over several statements. Each statement
// of an answer sees whole batches or, in the moment in which one is applied, the part
// of it that one table has and another has not yet.
package clickhouse

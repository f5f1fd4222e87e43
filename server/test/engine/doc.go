// Command engine puts a front in ClickHouse's HTTP protocol before libchdb, which is
// ClickHouse as a library, so that the tests run against the real engine where no
// server can be installed.
//
// In: requests as clickhouse-go sends them over HTTP, without compression or with LZ4
// or ZSTD. Out: what the engine answers, in the format Native, and its errors with
// their codes. It prints the address that it listens on, and ends with its standard
// input, so that it never outlives the test that started it. Not covered: several
// servers (ON CLUSTER, Replicated, Distributed), users, the native protocol.
//
// It is a module of its own and a process of its own: the product carries none of it,
// and a crash of the engine is the test's finding, not its end. `make engine` fetches
// the library and builds this.
package main

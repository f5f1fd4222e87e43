// Package enginetest gives tests a ClickHouse to talk to: the real engine as a child
// process (server/test/engine, made by `make engine`), or the server that
// UMPIRE_TEST_CLICKHOUSE names.
//
// In: a test. Out: the address of an empty database of its own, which goes when the
// test ends; the test's log says which engine it was (engine=). It never skips a test:
// where there is no engine it fails, and says what to do.
package enginetest

// Package postgrestest runs a PostgreSQL server for tests: the real one, installed
// by tools/postgres.sh, in a temporary directory, on a socket only, with a password.
//
// In: nothing. Out: the address of an empty schema for each test. It never touches a
// database that was there before.
package postgrestest

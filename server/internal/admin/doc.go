// Package admin is how the command line talks to a data directory: over the
// socket umpire.sock inside it, which a running server listens on. DuckDB locks
// its file, so whoever holds the directory answers for it; a command that finds
// nobody there opens the directory itself and serves the same socket meanwhile.
//
// In: requests of the same machine and user (the socket's mode is 0600). Out:
// what the Backend says, as JSON, and the whole read API for every project. It
// never listens on a network.
package admin

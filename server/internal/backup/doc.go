// Package backup makes copies of a data directory and puts them back.
//
// In: a directory that nobody has open, or a running server's log, store and
// metadata. Out: a new folder that is a data directory of its own, with
// backup.json beside it, which lists each file with its size and SHA-256; and from
// such a folder a data directory again, after every file was checked. It never
// writes over anything, and never changes what it copies.
package backup

// Package away gives tests the address of a server that is not there.
//
// In: nothing. Out: an address of this machine whose connections are refused, and
// that nobody else is given, until the test itself listens at it.
//
// It is never part of a program.
package away

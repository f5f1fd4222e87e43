// Package nearby lets an Umpire server and what sends to it find each other on
// one machine, without a key and without an address: the server of the same user
// says where its data directory is, and takes events over the socket inside it,
// which nobody else can open.
//
// What flows in: a Server, from `umpire serve` and `umpire demo`. What flows out:
// that Server, and a way to send it events. It never listens, and never leaves the
// machine.
package nearby

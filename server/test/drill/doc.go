// Package drill breaks a real `umpire serve` under load in every way that can be
// arranged: SIGKILL at random moments, while it starts, too; a disk that is full; a
// slow one; a clock that is set; batches that come twice and in disorder. At the end
// what it holds is compared with a ledger kept outside of it: every acknowledged
// event is there once, and every rollup is right.
//
// The short form is part of `make test`. `make drill` goes on for DRILL (15m).
package drill

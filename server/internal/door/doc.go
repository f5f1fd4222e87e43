// Package door is what all doors share: who may send, how much and how fast, how a
// body is decoded within its limits, and how a call that somebody else watched is
// judged again (outcomes.md 2).
//
// In: requests and what a door read out of them. Out: events for the pipeline, and
// refusals as *fault.Error, which each door words in its vendor's way. It knows no
// vendor, and decides no answer.
package door

// Package cell says how what an event holds becomes what a store keeps of it: the
// same in every backend, since they are to give the same answers to the digit.
//
// In: fields of an event. Out: texts in UTF-8, JSON texts, numbers within limits. It
// never fails: one odd event must not stop the queue.
package cell

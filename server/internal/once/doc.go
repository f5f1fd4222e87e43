// Package once remembers which events have been seen of late.
//
// In: the project and the id of an event. Out: whether they were seen before. It
// holds a bounded number, forgets the oldest first, and keeps nothing on disk.
package once

// Package migrate copies everything from one store into another one, so that both
// give the same answers.
//
// In: a store that nothing is applied to meanwhile, and one that has nothing of its
// projects but what an earlier, cut-off run put there. Out: every raw event with its
// marks, every definition of a tool, the rollups of the hours whose raw events are gone,
// and since when they are. It goes by days, oldest first; a day that is there already
// is not copied again, so a run that was cut off is started again as it was, and needs
// no notes. At the end rows and sums of every table are compared by the hour, and it
// says that it is done only if none differs.
//
// It changes nothing in the store that it copies from, and never judges or counts a
// call.
package migrate

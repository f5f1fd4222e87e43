// Package verdict says in words why a call was judged as it was: by which rule of
// docs/outcomes.md, and on what evidence.
//
// In: an umpire.Event that was judged. Out: a Verdict, which is what umpire
// classify prints, and Why alone. It judges nothing itself.
package verdict

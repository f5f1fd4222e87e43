// Package machine tells how much memory and disk this process may use.
//
// In: what the system says of the machine, and of the control group that the process
// is in (a container's limit). Out: a number of bytes. It never changes anything, and
// never fails: what it cannot find out is 0.
package machine

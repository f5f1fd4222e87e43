// Package machine tells how much memory and disk this process may use, and lowers the
// priority of a thread.
//
// In: what the system says of the machine, and of the control group that the process
// is in (a container's limit). Out: a number of bytes. It never fails: what it cannot find out
// is 0, and what it cannot do is not done.
package machine

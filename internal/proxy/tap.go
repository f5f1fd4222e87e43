package proxy

import "time"

// Tap sees a copy of what passes, in the order in which it was read. All its
// methods are called on one goroutine. It may keep the bytes, but never change them.
type Tap interface {
	// Client is told of bytes from the client, Server of bytes from the server,
	// in pieces as they were read: a piece is no message.
	Client(piece []byte, at time.Time)
	Server(piece []byte, at time.Time)
	// Gap says that pieces are missing at this place, of either side: what was
	// begun before cannot be completed, and answers may have passed unseen.
	Gap(at time.Time)
	// End says that nothing follows, and how it came to it.
	End(how End, at time.Time)
	// Tick comes once a second.
	Tick(at time.Time)
}

// End is how a conversation came to its end.
type End struct {
	// Exited is set when the server's process died, with Code as its exit code:
	// 128 and the signal's number when a signal killed it.
	Exited bool
	Code   int
	// ClientLeft is set when the client closed its side first, or sent a signal: an
	// end that it wanted.
	ClientLeft bool
	// Stopped is set when the proxy itself ended it.
	Stopped bool
}

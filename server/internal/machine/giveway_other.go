//go:build !linux

package machine

// GiveWay does nothing: the system has no priority for a single thread, or another way.
func GiveWay() {}

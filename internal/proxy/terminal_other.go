//go:build unix && !linux && !darwin

package proxy

// fromTerminal cannot be known here: every signal is passed on.
func fromTerminal() bool { return false }

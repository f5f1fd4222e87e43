//go:build unix

package proxy

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// forwarded are the signals that end or steer a server.
var forwarded = []os.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGWINCH,
}

// forwarding catches the signals that are to be passed on until stop is called.
// What the terminal sends, it sends to every process of the foreground group: the
// server has it already, and a second Ctrl-C means something else to many.
// A signal that is ignored, as under nohup, stays so for the server, too.
func forwarding() (signals <-chan caught, stop func()) {
	in := make(chan os.Signal, 16)
	out := make(chan caught, 16)
	end := make(chan struct{})
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			signal.Notify(in, s)
		}
	}
	// Caught, and then dropped: else a client that stops reading would kill the
	// proxy with SIGPIPE before the server learns of it. An ignored SIGPIPE would
	// be inherited.
	broken := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGPIPE) {
		signal.Notify(broken, syscall.SIGPIPE)
	}
	go func() {
		for {
			select {
			case s := <-in:
				select {
				case out <- weighed(s):
				default: // nobody takes them any more
				}
			case <-end:
				return
			}
		}
	}()
	return out, func() {
		signal.Stop(in)
		close(end)
		// SIGPIPE stays caught: the process is about to end, and may write yet.
	}
}

func weighed(s os.Signal) caught {
	c := caught{Signal: s, pass: true}
	switch s {
	case syscall.SIGINT, syscall.SIGQUIT:
		c.ends, c.pass = true, !fromTerminal()
	case syscall.SIGHUP, syscall.SIGTERM:
		c.ends = true
	case syscall.SIGWINCH:
		c.pass = !fromTerminal()
	}
	return c
}

// howEnded gives the exit code of a shell.
func howEnded(state *os.ProcessState) Ended {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		n := int(status.Signal())
		return Ended{Code: 128 + n, Signal: n}
	}
	return Ended{Code: state.ExitCode()}
}

// Exit ends this process as the server's ended: by the same signal, where Go lets
// a process die of it without a word, else with the exit code of a shell.
func (e Ended) Exit() {
	switch s := syscall.Signal(e.Signal); s {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL:
		signal.Reset(s)
		_ = syscall.Kill(syscall.Getpid(), s)
		time.Sleep(time.Second) // it arrives on any thread, soon
	}
	os.Exit(e.Code)
}

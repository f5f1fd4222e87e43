package proxy

import (
	"os"
	"os/signal"
	"syscall"
)

// forwarding keeps this process alive through Ctrl-C, Ctrl-Break and the closing
// of the console: the console tells the server of them itself, and the proxy ends
// when the server has ended.
func forwarding() (signals <-chan caught, stop func()) {
	in := make(chan os.Signal, 16)
	out := make(chan caught, 16)
	end := make(chan struct{})
	signal.Notify(in, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case s := <-in:
				select {
				case out <- caught{Signal: s, ends: true}:
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
	}
}

func howEnded(state *os.ProcessState) Ended { return Ended{Code: state.ExitCode()} }

// Exit ends this process with the server's exit code.
func (e Ended) Exit() { os.Exit(e.Code) }

package proxy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// pieceBytes is the most that is read at once; a pipe holds as much.
	pieceBytes = 64 << 10
	// afterExit is how long silence may last, once the server's process is gone
	// and the client has closed its side, until a stdout that a process left
	// behind still holds open is given up.
	afterExit = 2 * time.Second

	// What a shell answers for a command that it cannot start.
	exitCannotRun = 126
	exitNotFound  = 127

	// RunVariable names the run in the server's environment (outcomes.md 1.4).
	RunVariable = "UMPIRE_RUN"
)

// Stdio is one run of a server's command.
type Stdio struct {
	Command []string // name and arguments; at least one
	Run     string   // value of UMPIRE_RUN; none is set if empty
	Stdin   *os.File // the client's side
	Stdout  *os.File
	Stderr  *os.File // handed to the server as it is
	Tap     Tap      // nil for none
	Say     func(string)
	// Patience bounds the time that the Tap has at the end. Zero is 2 s.
	Patience time.Duration
}

// Ended is how the server's process ended, and with it the proxy's.
type Ended struct {
	Code int // as a shell shows it: 128 and the number for a signal
	// Signal that killed it, 0 for none: Die with it.
	Signal int
}

// Play starts the command and relays until it has ended and its output is
// through. The error, if any, is that the command could not be started.
func (s *Stdio) Play() (Ended, error) {
	signals, stop := forwarding() // before the start, so that none is lost
	defer stop()
	child, err := s.start()
	if err != nil {
		return Ended{Code: startCode(err)}, fmt.Errorf("cannot start the server %q: %w", s.Command[0], err)
	}
	var f *feed
	if s.Tap != nil {
		f = newFeed(s.Say)
	}
	up := newPump(s.Stdin, child.stdin, f, s.Tap, toldClient)
	down := newPump(child.stdout, s.Stdout, f, s.Tap, toldServer)
	go up.run()
	go down.run()
	left := wait(child, up, down, signals)
	ended := howEnded(child.cmd.ProcessState)
	if f != nil {
		f.end(s.Tap, End{Exited: true, Code: ended.Code, ClientLeft: left}, time.Now())
		f.close(s.patience())
	}
	return ended, nil
}

func (s *Stdio) patience() time.Duration {
	if s.Patience > 0 {
		return s.Patience
	}
	return 2 * time.Second
}

// wait returns when the process is gone and its output is through, and tells
// whether the client had closed its side before, or had told the server to end.
//
// A process that ends may leave others behind that hold its stdout and still
// answer: then its end alone is no end of the conversation, as it is none for a
// client without the proxy, which reads until the stdout's end.
func wait(c *child, up, down *pump, signals <-chan caught) (clientLeft bool) {
	for running := true; running; {
		select {
		case <-c.gone:
			running = false
		case sig := <-signals:
			clientLeft = clientLeft || sig.ends
			if sig.pass {
				_ = c.cmd.Process.Signal(sig.Signal) // it may be gone
			}
		}
	}
	clientLeft = clientLeft || up.eof.Load()
	look := time.NewTicker(afterExit / 8)
	defer look.Stop()
	for {
		select {
		case <-down.done:
			return clientLeft
		case <-signals: // nobody is left to forward it to
			return clientLeft
		case <-look.C:
			if up.over() && down.quiet() >= afterExit {
				return clientLeft
			}
		}
	}
}

// caught is a signal that this process got.
type caught struct {
	os.Signal
	pass bool // the server has not got it, too
	ends bool // it asks for an end
}

// child is the server's process.
type child struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	gone   chan struct{} // closed when it was waited for
}

func (s *Stdio) start() (*child, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...) //nolint:noctx // it ends by itself, or by a signal that is passed on
	if s.Run != "" {
		cmd.Env = withVariable(os.Environ(), RunVariable, s.Run)
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		closeAll(theirIn, ourIn)
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, s.Stderr
	c := &child{cmd: cmd, stdin: ourIn, stdout: ourOut, gone: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux kills the process when the thread ends that started it, which
		// shall be when the proxy itself is killed, and not before.
		runtime.LockOSThread()
		err := startBound(cmd)
		started <- err
		if err == nil {
			_ = cmd.Wait() // its error is in ProcessState
			close(c.gone)
		}
		runtime.UnlockOSThread()
	}()
	err = <-started
	closeAll(theirIn, theirOut)
	if err != nil {
		closeAll(ourIn, ourOut)
		return nil, err
	}
	return c, nil
}

// withVariable sets one variable and leaves the others as and where they are.
func withVariable(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			out = append(out, v)
		}
	}
	return append(out, name+"="+value)
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

func startCode(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exitNotFound
	}
	return exitCannotRun
}

// pump carries one direction. It holds one piece at most: whoever reads slowly
// slows the writer down, as he would without it.
type pump struct {
	from, to *os.File
	feed     *feed // nil: nobody watches
	tap      Tap
	what     func(Tap, []byte, time.Time)

	eof    atomic.Bool   // from has ended, as opposed to: nobody reads to
	done   chan struct{} // closed when nothing more is carried
	lastAt atomic.Int64  // of the last piece, Unix nanoseconds
}

func newPump(from, to *os.File, f *feed, tap Tap, what func(Tap, []byte, time.Time)) *pump {
	p := &pump{from: from, to: to, feed: f, tap: tap, what: what, done: make(chan struct{})}
	p.lastAt.Store(time.Now().UnixNano())
	return p
}

func (p *pump) run() {
	defer close(p.done)
	// Each side learns of the other's end: a reader that nothing follows, a writer
	// that nobody reads any more.
	defer closeAll(p.to, p.from)
	buffer := make([]byte, pieceBytes)
	for {
		n, err := p.from.Read(buffer)
		if n > 0 && !p.pass(buffer[:n]) {
			return
		}
		if err != nil {
			p.eof.Store(true)
			return
		}
	}
}

// pass carries one piece and reports whether somebody reads it.
func (p *pump) pass(piece []byte) bool {
	now := time.Now()
	p.lastAt.Store(now.UnixNano())
	if p.feed != nil {
		p.feed.put(p.tap, p.what, piece, now)
		defer p.feed.rouse()
	}
	_, err := p.to.Write(piece)
	return err == nil
}

func (p *pump) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

func (p *pump) quiet() time.Duration {
	return time.Since(time.Unix(0, p.lastAt.Load()))
}

//go:build linux

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childVariable = "UMPIRE_TEST_CHILD"

// children are programs that the tests run as processes: this test binary,
// started again with childVariable set. Those named "proxy…" are the proxy
// itself, around the command in their arguments.
var children = map[string]func(){
	"proxy":       func() { play(&recorder{}, time.Minute) },
	"proxy-bare":  func() { play(nil, time.Minute) },
	"proxy-mad":   func() { play(mad{}, time.Minute) },
	"proxy-stuck": func() { play(stuck{}, 100*time.Millisecond) },

	"echo":   func() { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"hold":   func() { fmt.Println("held"); forever() },
	"leave":  leaveOneBehind,
	"answer": answerAfterEOF,
	// parrot says what it sees of its surroundings.
	"parrot": func() {
		dir, _ := os.Getwd()
		fmt.Println(strings.Join(os.Args[1:], "|"), dir, os.Getenv("UMPIRE_RUN"), os.Getenv("OTHER"), len(os.Environ()))
		fmt.Fprintln(os.Stderr, "to stderr")
	},
	"exit": func() { os.Exit(37) },
	// signals counts what it gets until it is told to end.
	"signals": func() {
		got := make(chan os.Signal, 10)
		signal.Notify(got)
		fmt.Println("ready")
		for s := range got {
			if s == syscall.SIGURG { // Go's own
				continue
			}
			fmt.Println(s)
			if s == syscall.SIGTERM {
				time.Sleep(50 * time.Millisecond)
				os.Exit(5)
			}
		}
	},
	"ignores": func() {
		fmt.Println(signal.Ignored(syscall.SIGINT), signal.Ignored(syscall.SIGHUP), signal.Ignored(syscall.SIGPIPE))
	},
	// deaf reads nothing and closes its stdin.
	"deaf": func() {
		_ = os.Stdin.Close()
		fmt.Println("closed")
		forever()
	},
	// talker writes until nobody reads, and tells on stderr.
	"talker": func() {
		signal.Ignore(syscall.SIGPIPE)
		for {
			if _, err := os.Stdout.Write(make([]byte, 1000)); err != nil {
				fmt.Fprintln(os.Stderr, "broken pipe")
				os.Exit(9)
			}
		}
	},
	"pong": func() {
		in := bufio.NewReader(os.Stdin)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			_, _ = os.Stdout.Write(line)
		}
	},
}

// forever is until somebody kills the process.
func forever() { time.Sleep(time.Hour) }

// play has a Tap that ends have all the time it needs.
func play(tap Tap, patience time.Duration) {
	s := Stdio{
		Command: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Tap: tap, Run: "a-run",
		Say: func(s string) { fmt.Fprintln(os.Stderr, s) }, Patience: patience,
	}
	_ = os.Setenv(childVariable, os.Getenv("UMPIRE_TEST_INNER"))
	ended, err := s.Play()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if r, ok := tap.(*recorder); ok && os.Getenv("UMPIRE_TEST_TAPPED") != "" {
		r.save(os.Getenv("UMPIRE_TEST_TAPPED"))
	}
	ended.Exit()
}

// leaveOneBehind ends at once and leaves a process that holds its stdout and
// answers later.
func leaveOneBehind() {
	cmd := exec.Command("sh", "-c", "sleep 0.3; echo late")
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		os.Exit(3)
	}
	os.Exit(4)
}

func answerAfterEOF() {
	all, _ := io.ReadAll(os.Stdin)
	time.Sleep(50 * time.Millisecond)
	fmt.Printf("%d bytes\n", len(all))
}

// TestMain becomes the child that the environment names. A name that nobody knows
// ends the process: a child that ran the tests would start children of its own.
func TestMain(m *testing.M) {
	name := os.Getenv(childVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	run, ok := children[name]
	if !ok {
		_, _ = os.Stderr.WriteString("no child is called " + name + "\n")
		os.Exit(3)
	}
	run()
	os.Exit(0)
}

// self prepares this binary as the child, direct or behind the proxy.
func self(proxy, child string, args ...string) *exec.Cmd {
	if proxy == "" {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), childVariable+"="+child)
		return cmd
	}
	cmd := exec.Command(os.Args[0], append([]string{os.Args[0]}, args...)...)
	cmd.Env = append(os.Environ(), childVariable+"="+proxy, "UMPIRE_TEST_INNER="+child)
	return cmd
}

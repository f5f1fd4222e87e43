package umpire

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// children are programs that the tests run as processes of their own: this
// test binary, started again with childVariable set.
var children = map[string]func(){
	// noisy does everything that might print something.
	"noisy": func() {
		for range 2 {
			c := New(Options{Debug: true, QueueSize: -1})
			c.Record(okCall("a"))
			_ = c.Flush(context.Background())
			_ = c.Close(context.Background())
		}
	},
	// keyOnly has forgotten the endpoint.
	"keyOnly": func() {
		for range 3 {
			c := New(Options{})
			c.Record(okCall("a"))
			_ = c.Close(context.Background())
		}
	},
	// panics does what an adapter does when a handler panics; its patience is longer
	// than an adapter's 2 s, of which a busy machine needs some for itself.
	"panics": func() {
		c := New(Options{})
		defer func() {
			r := recover()
			c.Record(Event{Kind: "call", Call: Call{Tool: "boom", Outcome: Crashed, ErrorMessage: "mail max@example.com"}})
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if err := c.Flush(ctx); err != nil {
				_, _ = os.Stderr.WriteString("flush failed: " + err.Error())
			}
			panic(r)
		}()
		panic("the handler's own")
	},
	// killed spools, and then waits for its death with the file still locked.
	"killed": func() {
		c := New(Options{})
		c.Record(okCall("a"))
		if c.Flush(context.Background()) == nil {
			_, _ = os.Stdout.WriteString("flushed\n")
		}
		select {}
	},
	// waits starts a client, which drains, and waits for its death.
	"waits": func() {
		New(Options{})
		select {}
	},
}

const childVariable = "UMPIRE_TEST_CHILD"

// TestMain becomes the child that the environment names. A name that nobody knows
// ends the process: a child that ran the tests would start children of its own.
func TestMain(m *testing.M) {
	name := os.Getenv(childVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	if how, ok := deaths[name]; ok {
		dies(how)
	}
	run, ok := children[name]
	if !ok {
		_, _ = os.Stderr.WriteString("no child is called " + name + "\n")
		os.Exit(3)
	}
	run()
	os.Exit(0)
}

// child prepares a process that knows endpoint and spool from its environment.
func child(t *testing.T, name, endpoint, spool string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Env = append(os.Environ(),
		childVariable+"="+name, "UMPIRE_ENDPOINT="+endpoint, "UMPIRE_KEY="+testKey, "UMPIRE_SPOOL_DIR="+spool)
	return cmd, stdout, stderr
}

func TestStdoutIsNeverTouched(t *testing.T) {
	for _, endpoint := range []string{newCollector(t, nil).serve(), nowhere(t)} {
		cmd, stdout, stderr := child(t, "noisy", endpoint, t.TempDir())
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr)
		}
		if stdout.Len() > 0 {
			t.Errorf("stdout got %q", stdout)
		}
		if n := strings.Count(stderr.String(), "QueueSize"); n != 1 {
			t.Errorf("the bad option is mentioned %d times, want once in a process:\n%s", n, stderr)
		}
		if strings.Contains(stderr.String(), testKey) {
			t.Errorf("the key was said:\n%s", stderr)
		}
	}
}

func TestMissingEndpointIsSaidOnce(t *testing.T) {
	cmd, stdout, stderr := child(t, "keyOnly", "", t.TempDir())
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "UMPIRE_ENDPOINT") {
		t.Errorf("stdout %q, stderr %q, want one sentence", stdout, stderr)
	}
}

func TestPanicIsRecordedBeforeTheProcessDies(t *testing.T) {
	check := func(t *testing.T, door *collector) {
		t.Helper()
		events := door.events()
		if len(events) != 1 || events[0]["tool"] != "boom" || events[0]["outcome"] != "crashed" {
			t.Fatalf("arrived: %v", events)
		}
		if got := events[0]["error_message"]; got != "mail [EMAIL_REDACTED]" {
			t.Errorf("error_message %q", got)
		}
	}
	run := func(t *testing.T, endpoint, dir string) {
		t.Helper()
		cmd, stdout, stderr := child(t, "panics", endpoint, dir)
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(stderr.String(), "panic: the handler's own") {
			t.Errorf("the panic did not go on: %v\n%s", err, stderr)
		}
		if stdout.Len() > 0 || strings.Contains(stderr.String(), "flush failed") {
			t.Errorf("stdout %q, stderr:\n%s", stdout, stderr)
		}
	}
	t.Run("to the server", func(t *testing.T) {
		door := newCollector(t, nil)
		run(t, door.serve(), t.TempDir())
		check(t, door)
	})
	t.Run("to the spool", func(t *testing.T) {
		address, dir := nowhere(t), t.TempDir()
		run(t, address, dir)
		door := newCollector(t, nil)
		listenAt(t, address, door)
		c, _ := testClient(t, Options{Endpoint: address, SpoolDir: dir})
		eventually(t, "the next process sends it", func() bool { return c.Stats().Drained == 1 })
		check(t, door)
	})
}

// TestKilledProcesses kills the one that wrote the spool, then one that was
// sending it, and then lets a third do it.
func TestKilledProcesses(t *testing.T) {
	address, dir := nowhere(t), t.TempDir()
	first, _, stderr := child(t, "killed", address, dir)
	said, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	first.Stdout = write
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := said.Read(make([]byte, 100)); err != nil {
		t.Fatalf("no word of the flush: %v\n%s", err, stderr)
	}
	kill(t, first)

	silent := newCollector(t, func(int, request) reaction { return reaction{wait: make(chan struct{}), status: 500} })
	stop := listenAt(t, address, silent)
	second, _, _ := child(t, "waits", address, dir)
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the second process is sending", func() bool { return len(silent.all(true)) > 0 })
	kill(t, second)
	stop()

	door := newCollector(t, nil)
	listenAt(t, address, door)
	c, _ := testClient(t, Options{Endpoint: address, SpoolDir: dir})
	eventually(t, "the third sends it", func() bool { return c.Stats().Drained == 1 })
	eventually(t, "and removes the file", func() bool { return len(spoolFiles(t, dir)) == 0 })
	checkOnce(t, door, 1)
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("a killed process ended well")
	}
}

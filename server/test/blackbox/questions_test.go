package blackbox

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// umpire check ends with 0, 1 or 2, as its help says.
func TestCheck(t *testing.T) {
	t.Parallel()
	s, data, left, _ := twoProjects(t)
	must(t, "report", "--data", data, "--project", "left")
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		code int
		said string
	}{
		{"within the limit", nil, []string{"--data", data, "--project", "left", "--max-error-rate", "70%", "--min-calls", "3", "--last", "1h"}, 0, "ok"},
		{"over it", nil, []string{"--data", data, "--project", "left", "--max-error-rate", "5%", "--min-calls", "3", "--last", "1h"}, 1, "exceeded"},
		{"a crash, in few calls", nil, []string{"--data", data, "--project", "left", "--max-crashed", "0"}, 1, "exceeded"},
		{"too few calls", nil, []string{"--data", data, "--project", "left", "--max-error-rate", "5%"}, 2, "fewer than 20"},
		{"of a server", []string{"UMPIRE_KEY=" + left}, []string{"--to", s.url, "--max-error-rate", "5%", "--min-calls", "3"}, 1, "exceeded"},
		{"a key that is none", []string{"UMPIRE_KEY=nonsense"}, []string{"--to", s.url, "--max-error-rate", "5%"}, 2, "unknown or revoked"},
		{"nobody answers", nil, []string{"--to", "http://127.0.0.1:1", "--max-error-rate", "5%"}, 2, "cannot reach"},
		{"no limit", nil, []string{"--data", data}, 2, "no limit"},
		{"a limit that is none", nil, []string{"--data", data, "--max-error-rate", "5"}, 2, "give a share"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, fail, code := run(t, tt.env, append([]string{"check"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+fail, tt.said) {
				t.Errorf("exit code %d, want %d; it says %s%s", code, tt.code, out, fail)
			}
		})
	}
}

// What is printed of a project, as text: no colours where the output is no terminal.
func TestQuestionsInATerminal(t *testing.T) {
	t.Parallel()
	_, data, _, _ := twoProjects(t)
	for command, want := range map[string][]string{
		"tool find":  {"find", "Refused arguments", "cursor"},
		"insights":   {"Insights"},
		"clients":    {"cursor", "Crashes"},
		"sessions":   {"Worst", "Crashed", "cursor"},
		"sessions s": {"3 calls", "find", "sell", "panic"},
	} {
		text := must(t, append(strings.Fields(command), "--data", data, "--project", "left")...)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("umpire %s does not say %q:\n%s", command, w, text)
			}
		}
		if strings.Contains(text, "\x1b") || strings.Contains(text, "right") {
			t.Errorf("umpire %s:\n%q", command, text)
		}
	}
	if _, fail, code := run(t, nil, "tool", "fnd", "--data", data, "--project", "left"); code != 2 || !strings.Contains(fail, "the nearest are find") {
		t.Errorf("%d %s", code, fail)
	}
}

// umpire tail prints what is there, then what comes, each call once.
func TestTail(t *testing.T) {
	t.Parallel()
	s, data, left, _ := twoProjects(t)
	must(t, "report", "--data", data, "--project", "left")
	if text := must(t, "tail", "--once", "--data", data, "--project", "left", "-n", "2"); len(strings.Split(text, "\n")) != 2 || strings.Contains(text, "right") {
		t.Errorf("the two newest:\n%s", text)
	}
	binary, err := umpire()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "tail", "--to", s.url, "-n", "1", "--every", "100ms", "--json")
	cmd.Env, cmd.Stderr = append(os.Environ(), "UMPIRE_READ_KEY="+left), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func() string {
		if !lines.Scan() {
			t.Fatal("tail ended")
		}
		return parse[struct {
			Tool string `json:"tool"`
		}](t, lines.Text()).Tool
	}
	next()
	write := must(t, "key", "add", "--data", data, "--project", "left", "--write")
	now := time.Now().UTC().Format(time.RFC3339Nano)
	if status, answer := s.request("POST", "/api/v1/events", write, `{"events":[{"id":"0197b000-0000-7000-8000-000000000009","kind":"call","started_at":"`+now+`","tool":"late","outcome":"ok"}]}`); status != 200 {
		t.Fatal(answer)
	}
	if tool := next(); tool != "late" {
		t.Errorf("the next line is of %q", tool)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}

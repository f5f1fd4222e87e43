// Package viewstest lets a test binary be the process that holds the views, too, so
// that tests of whoever answers SQL need no other program.
//
// In: a package's TestMain. Out: the command that starts the binary again. It is for
// tests only: nothing of the product imports it.
package viewstest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/views"
)

const child = "UMPIRE_TEST_CHILD"

// Main is for TestMain: it runs the tests, or is what Command started.
func Main(m *testing.M) {
	switch os.Getenv(child) {
	case "":
		os.Exit(m.Run())
	case "views":
		in, out := views.Pipes()
		if err := views.Serve(context.Background(), in, out); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	default:
		os.Exit(2)
	}
}

// Command starts this test as the process that holds a copy.
func Command() *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.CommandContext(context.Background(), path) // views ends it
	cmd.Env, cmd.Stderr = []string{child + "=views"}, os.Stderr
	return cmd
}

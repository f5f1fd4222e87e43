//go:build linux

package drill

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/umpire-mcp/umpire/server/internal/load"
)

// A second server over a directory that one has: it ends with a message that says
// what to do, and touches nothing; the first one never notices.
func TestHeldDirectory(t *testing.T) {
	s := newServer(t, "")
	s.start()
	s.ready()
	ledger := load.NewLedger()
	s.send(ledger, 4, 500, time.Minute)
	s.caughtUp()
	data := filepath.Join(s.dir, "data")
	before := files(t, data)
	_, said, code := s.run("serve", "--data", data, "--listen", "127.0.0.1:0")
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
	for _, word := range []string{"another", data, "hint:", "--data"} {
		if !strings.Contains(said, word) {
			t.Errorf("%q is not in what it says:\n%s", word, said)
		}
	}
	if diff := cmp.Diff(before, files(t, data)); diff != "" {
		t.Errorf("it touched the directory (-before +after):\n%s", diff)
	}
	s.send(ledger, 5, 500, time.Minute)
	s.caughtUp()
	s.terminate()
	if d := compare(t, data, ledger); d != (difference{figures: d.figures}) {
		t.Errorf("%+v\n%s", d, s.all.String())
	}
}

// files is what each file of the directory holds, but for those that SQLite keeps
// beside its own while anyone reads.
func files(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	out := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "meta.sqlite-") {
			return err
		}
		text, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = sha256.Sum256(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

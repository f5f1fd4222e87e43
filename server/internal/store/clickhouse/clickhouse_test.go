package clickhouse

import (
	"flag"
	"os"
	"testing"

	"github.com/umpire-mcp/umpire/server/internal/enginetest"
	"github.com/umpire-mcp/umpire/server/internal/store"
	"github.com/umpire-mcp/umpire/server/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.RunSome(t, every(), func(t testing.TB) store.Store {
		db, err := Open(t.Context(), enginetest.URL(t), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return db
	})
}

// checks is how many random cases each property of the suite is tried with here, unless
// -rapid.checks says how many: a case asks some hundred questions, and ClickHouse takes
// 20 to 30 ms of a core to plan one. DuckDB tries more of them in the same suite.
const checks = "1"

// every is of how many questions one is asked where all of them are compared; all of
// them if UMPIRE_TEST_FULL is set, which takes some minutes.
func every() int {
	if os.Getenv("UMPIRE_TEST_FULL") != "" {
		return 1
	}
	return 7
}

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		if err := f.Value.Set(checks); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	os.Exit(m.Run())
}

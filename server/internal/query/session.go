package query

import (
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// PartAt names the session, or the part of a derived one, that a call of it began
// in: a derived session by any moment within the part, so that a link stays good
// when a late call shows that it began earlier.
func PartAt(session string, at time.Time) string {
	if !strings.HasPrefix(session, store.DerivedSession) {
		return session
	}
	return session + "@" + strconv.FormatInt(at.UnixMicro(), 10)
}

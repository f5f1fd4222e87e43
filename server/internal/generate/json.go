package generate

import (
	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/eventjson"
)

// AppendJSON writes a generated event.
func AppendJSON(dst []byte, e *umpire.Event) []byte {
	out, err := eventjson.Append(dst, e)
	if err != nil {
		panic("BUG: a generated event is no JSON: " + err.Error())
	}
	return out
}

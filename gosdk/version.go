package gosdk

import (
	"encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The same source serves every SDK version since v1.4.0 (make interop). What a
// later one added is reached here without its name: protocol 2026-07-28, which
// came with v1.7.0, and its questions back.
const (
	metaProtocolVersion = "io.modelcontextprotocol/protocolVersion"
	metaClientInfo      = "io.modelcontextprotocol/clientInfo"

	codeHeaderMismatch             = -32020
	codeUnsupportedProtocolVersion = -32022
)

// needsInput reports whether res is a question back and no answer.
func needsInput(res any) bool {
	r, ok := res.(interface{ NeedsInput() bool })
	return ok && r.NeedsInput()
}

// complete says of res, as the SDK does for the tools that it runs, that it is an
// answer and no question back. The field has no name outside of the SDK.
func complete(res *mcp.CallToolResult) {
	whole, err := json.Marshal(res)
	if err != nil {
		return
	}
	answered := new(mcp.CallToolResult)
	if json.Unmarshal(append([]byte(`{"resultType":"complete",`), whole[1:]...), answered) == nil {
		*res = *answered
	}
}

var roundFields = fieldsOf("InputRequests", "RequestState")

func fieldsOf(names ...string) (found [][]int) {
	for _, name := range names {
		if f, ok := reflect.TypeFor[mcp.CallToolResult]().FieldByName(name); ok {
			found = append(found, f.Index)
		}
	}
	return found
}

// saysMore reports whether res holds a part of a question back.
func saysMore(res *mcp.CallToolResult) bool {
	v := reflect.ValueOf(res).Elem()
	for _, field := range roundFields {
		if !v.FieldByIndex(field).IsZero() {
			return true
		}
	}
	return false
}

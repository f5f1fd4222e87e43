package gosdk

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestNamesOfThePinnedVersion: what version.go says without the SDK's names is
// what the SDK says.
func TestNamesOfThePinnedVersion(t *testing.T) {
	if metaProtocolVersion != mcp.MetaKeyProtocolVersion || metaClientInfo != mcp.MetaKeyClientInfo {
		t.Error("the SDK has other keys in _meta")
	}
	if codeHeaderMismatch != mcp.CodeHeaderMismatch || codeUnsupportedProtocolVersion != mcp.CodeUnsupportedProtocolVersion {
		t.Error("the SDK has other codes")
	}
	for name, res := range map[string]*mcp.CallToolResult{
		"requests": {InputRequests: mcp.InputRequestMap{"who": &mcp.ElicitParams{Message: "who?"}}},
		"state":    {RequestState: "x"},
	} {
		if !saysMore(res) {
			t.Errorf("%s: nothing more is seen", name)
		}
	}
	plain := new(mcp.CallToolResult)
	if saysMore(plain) || needsInput(plain) {
		t.Error("a plain result asks for something")
	}
	if n := testing.AllocsPerRun(100, func() { saysMore(plain); needsInput(plain) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

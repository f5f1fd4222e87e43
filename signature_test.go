package umpire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestSignatures: each row of the table is what a fixture of the corpus is
// recognized by, so that a text that an SDK never wrote, or a row that another one
// hides, fails here. How the fixtures are judged is a test in spec/.
func TestSignatures(t *testing.T) {
	corpus, err := os.ReadFile("spec/corpus/signatures.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]bool, len(signatures))
	for lines := bufio.NewScanner(bytes.NewReader(corpus)); lines.Scan(); {
		var x struct {
			Tool  string
			Reply struct {
				Result struct{ Content []struct{ Text string } }
				Error  struct{ Message string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		text := x.Reply.Error.Message
		if len(x.Reply.Result.Content) > 0 {
			text = x.Reply.Result.Content[0].Text
		}
		if row := signatureOf(withoutEnvelope(text), x.Tool); row >= 0 {
			seen[row] = true
		}
	}
	for i, s := range signatures {
		if !seen[i] {
			t.Errorf("no fixture is recognized by %q (%s)", s.prefix, s.sdk)
		}
	}
}

func TestRuntimeFaults(t *testing.T) {
	seen := make([]bool, len(runtimeFaults))
	for _, text := range []string{
		"Cannot read properties of undefined (reading 'title')",
		"Cannot read properties of null (reading 'id')",
		"Cannot set properties of undefined (setting 'x')",
		"Cannot set properties of null (setting 'x')",
		"Cannot destructure property 'a' of 'undefined' as it is undefined.",
		"Cannot convert undefined or null to object",
		"Maximum call stack size exceeded",
		"Error executing tool add: 'NoneType' object has no attribute 'strip'",
		"Error calling tool 'add': 'NoneType' object is not subscriptable",
		"'int' object is not iterable",
		"'tuple' object does not support item assignment",
		"unsupported operand type(s) for +: 'int' and 'str'",
		"cannot access local variable 'x' where it is not associated with a value",
		"local variable 'x' referenced before assignment",
		"name 'x' is not defined",
		"maximum recursion depth exceeded in comparison",
		`Cannot invoke "String.length()" because "s" is null`,
		`Cannot read field "x" because "p" is null`,
		"Index 5 out of bounds for length 3",
		"Object reference not set to an instance of an object.",
		"runtime error: index out of range [5] with length 3",
		"undefined method 'upcase' for nil",
		"undefined method `upcase' for nil:NilClass",
		"undefined local variable or method 'x' for main:Object",
		"Tool execution failed: Call to a member function get() on null",
		"Call to undefined function nothing()",
	} {
		if !saysRuntimeFault(text, "add") {
			t.Errorf("no fault of a runtime: %q", text)
		}
		for _, before := range []string{"Error executing tool add: ", "Error calling tool 'add': ", "Tool execution failed: "} {
			text = strings.TrimPrefix(text, before)
		}
		for i := range runtimeFaults {
			seen[i] = seen[i] || runtimeFaults[i].matches(text)
		}
	}
	for i, f := range runtimeFaults {
		if !seen[i] {
			t.Errorf("no example of %q (%s)", f.begin, f.language)
		}
	}
	for _, text := range []string{
		"", "NameError: name 'x' is not defined", "TypeError: Cannot read properties of undefined (reading 'x')", "division by zero", "no such account", "list index out of range", "The tool failed: Cannot read properties of undefined (reading 'x')",
		"Cannot read properties of undefined", "'the account' object has no attribute 'owner'", "'x", "name 'x' is taken", "owner is not defined",
		"Index 5 is out of bounds", "runtime error", "Cannot invoke \"x\"", "Error executing tool sub: 'int' object is not callable",
	} {
		if saysRuntimeFault(text, "add") {
			t.Errorf("taken for a fault of a runtime: %q", text)
		}
	}
}

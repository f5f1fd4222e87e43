package umpire

import "strings"

// A runtimeFault is a text that a language's runtime writes itself when a program
// has a bug, and that no person writes to a model: it tells that the handler threw
// (outcomes.md 2.3), where the SDK shows a thrown error and a refusal in one form.
// Texts that a person could mean, such as "division by zero", are none.
type runtimeFault struct {
	language string
	begin    string // the text begins so,
	within   string // holds this further on, if it is set,
	end      string // and ends so, if it is set
}

var runtimeFaults = []runtimeFault{
	{"JavaScript", "Cannot read properties of undefined (reading '", "", "')"},
	{"JavaScript", "Cannot read properties of null (reading '", "", "')"},
	{"JavaScript", "Cannot set properties of undefined (setting '", "", "')"},
	{"JavaScript", "Cannot set properties of null (setting '", "", "')"},
	{"JavaScript", "Cannot destructure property '", "' as it is ", ""},
	{"JavaScript", "Cannot convert undefined or null to object", "", ""},
	{"JavaScript", "Maximum call stack size exceeded", "", ""},
	{"Python", "'", "' object has no attribute '", ""},
	{"Python", "'", "' object is not ", "able"}, // subscriptable, callable, iterable
	{"Python", "'", "' object does not support item assignment", ""},
	{"Python", "unsupported operand type(s) for ", ": '", "'"},
	{"Python", "cannot access local variable '", "' where it is not associated with a value", ""},
	{"Python", "local variable '", "' referenced before assignment", ""},
	{"Python", "name '", "' is not defined", ""},
	{"Python", "maximum recursion depth exceeded", "", ""},
	{"Java, Kotlin", `Cannot invoke "`, `" because `, ""},
	{"Java, Kotlin", `Cannot read field "`, `" because `, ""},
	{"Java, Kotlin", "Index ", " out of bounds for length ", ""},
	{"C#", "Object reference not set to an instance of an object.", "", ""},
	{"Go", "runtime error: ", "", ""},
	{"Ruby", "undefined method '", "' for ", ""},
	{"Ruby", "undefined method `", "' for ", ""},
	{"Ruby", "undefined local variable or method '", "", ""},
	{"PHP", "Call to a member function ", "() on ", ""},
	{"PHP", "Call to undefined ", "()", ""},
}

// saysRuntimeFault reports whether the text of a failure is a runtime's own. What
// an SDK puts before it is passed over. The name of the error's class is not: SDKs
// show the message alone, and a tool that runs code shows the faults of that code.
func saysRuntimeFault(text, tool string) bool {
	for _, before := range []string{"Error executing tool " + tool + ": ", "Error calling tool '" + tool + "': ", "Tool execution failed: "} {
		text = strings.TrimPrefix(text, before)
	}
	text = strings.TrimRight(text, " \r\n")
	for i := range runtimeFaults {
		if runtimeFaults[i].matches(text) {
			return true
		}
	}
	return false
}

func (f *runtimeFault) matches(text string) bool {
	rest, ok := strings.CutPrefix(text, f.begin)
	return ok && strings.Contains(rest, f.within) && strings.HasSuffix(text, f.end) && (f.begin != "'" || inQuotes(rest, f.within))
}

// inQuotes reports whether what stands before the given part is one name.
func inQuotes(rest, part string) bool {
	name, _, _ := strings.Cut(rest, part)
	return name != "" && !strings.ContainsAny(name, " '\n")
}

package spec_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/umpire-mcp/umpire"
)

// TestOptionsAreDocumented: each option, and each environment variable that the
// SDK reads, has its row.
func TestOptionsAreDocumented(t *testing.T) {
	rows := func(page string, fields reflect.Type) {
		text := read(t, page)
		for f := range fields.NumField() {
			if name := fields.Field(f).Name; !strings.Contains(text, "\n| `"+name+"` |") {
				t.Errorf("%s has no row for %s", page, name)
			}
		}
	}
	rows("../docs/sdk/options.md", reflect.TypeFor[umpire.Options]())
	rows("../docs/sdk/what-is-sent.md", reflect.TypeFor[umpire.Capture]())

	options := read(t, "../docs/sdk/options.md")
	variables := regexp.MustCompile(`"(UMPIRE_[A-Z_]+)"`).FindAllStringSubmatch(read(t, "../options.go"), -1)
	if len(variables) < 10 {
		t.Fatalf("only %d variables found", len(variables))
	}
	for _, v := range variables {
		if !strings.Contains(options, "`"+v[1]+"`") {
			t.Errorf("options.md does not name %s", v[1])
		}
	}
}

package alert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/umpire-mcp/umpire"
	"github.com/umpire-mcp/umpire/server/internal/fault"
	"github.com/umpire-mcp/umpire/server/internal/query"
)

// Kind is what a rule watches.
type Kind string

// The kinds. Of those with a limit, Above is the most that is fine (Below the least,
// of FirstCall).
const (
	ErrorRate Kind = "error_rate"         // of the calls, failed
	EmptyRate Kind = "empty_rate"         // of the calls, answered with nothing
	SliceRate Kind = "slice"              // of the calls, in one slice
	P95       Kind = "p95"                // a duration
	FirstCall Kind = "first_call_success" // dropped
	Crash     Kind = "crash"              // more than Above (0) crashed
	NewError  Kind = "new_error"          // a kind of failure that was not there before
	Silence   Kind = "silence"            // no calls, where there were some
	Digest    Kind = "digest"             // of the week, on Mondays
)

var kinds = []Kind{ErrorRate, EmptyRate, SliceRate, P95, FirstCall, Crash, NewError, Silence, Digest}

// Rule is one alert of a project.
type Rule struct {
	Name    string `json:"name" yaml:"name"`
	Project string `json:"project,omitempty" yaml:"project"`
	Kind    Kind   `json:"kind" yaml:"kind"`
	Slice   string `json:"slice,omitempty" yaml:"slice"`
	// Above or Below is the limit: 5%, 2s, or a count. Clear is where an incident is
	// over; left out, it is a fifth inside the limit.
	Above string `json:"above,omitempty" yaml:"above"`
	Below string `json:"below,omitempty" yaml:"below"`
	Clear string `json:"clear,omitempty" yaml:"clear"`
	// Window is how far back each look goes: 1h. MinCalls is how few calls in it say
	// nothing; 0 is query.MinCalls.
	Window   string `json:"window,omitempty" yaml:"window"`
	MinCalls int64  `json:"min_calls,omitempty" yaml:"min_calls"`
	// Filters, by the names of the read API.
	Tool   string `json:"tool,omitempty" yaml:"tool"`
	Client string `json:"client,omitempty" yaml:"client"`
	Server string `json:"server,omitempty" yaml:"server"`
	Env    string `json:"env,omitempty" yaml:"env"`
	// To are the places that are told: webhook+https://…, slack+https://…,
	// discord+https://…, mailto:ops@example.com.
	To []string `json:"to" yaml:"to"`

	limit, clear   float64
	window         time.Duration
	fromFile       bool
	numericProject uint32
}

// Limits of rules.
const (
	maxName   = 100
	maxTo     = 10
	minWindow = 5 * time.Minute
	maxWindow = 30 * 24 * time.Hour
)

// Check reads the texts of the rule, fills in what was left out, and says what is
// wrong with it.
func (r *Rule) Check() error {
	refuse := func(message, hint string) error {
		return fault.New(fault.BadRequest, fmt.Sprintf("alert %.64q: %s", r.Name, message), hint)
	}
	switch {
	case r.Name == "" || len(r.Name) > maxName || strings.ContainsFunc(r.Name, unicode.IsControl):
		return refuse("it needs a name", fmt.Sprintf("of at most %d characters, on one line", maxName))
	case !slices.Contains(kinds, r.Kind):
		return refuse(fmt.Sprintf("there is no kind %.40q", r.Kind), fmt.Sprintf("one of %v", kinds))
	case len(r.To) == 0 || len(r.To) > maxTo:
		return refuse("it tells nobody", "to: webhook+https://…, slack+https://…, discord+https://… or mailto:…")
	case r.MinCalls < 0:
		return refuse("min_calls is below 0", "leave it out for "+strconv.Itoa(query.MinCalls))
	}
	for _, to := range r.To {
		if _, err := parseTarget(to); err != nil {
			return refuse(err.Error(), "to: webhook+https://…, slack+https://…, discord+https://… or mailto:…")
		}
	}
	if r.MinCalls == 0 {
		r.MinCalls = query.MinCalls
	}
	if err := r.readWindow(); err != nil {
		return refuse(err.Error(), "5m to 720h, or 1d to 30d")
	}
	if r.Kind == SliceRate {
		known := umpire.Slices()
		if !slices.Contains(known[:], umpire.Slice(r.Slice)) {
			return refuse(fmt.Sprintf("there is no slice %.40q", r.Slice), "ok, empty, bad_args, tool_error or crashed")
		}
	}
	if err := r.readLimit(); err != nil {
		return refuse(err.Error(), "above: 5%, 2s or 3; for first_call_success below: 80%")
	}
	return nil
}

func (r *Rule) readWindow() (err error) {
	if r.Window == "" {
		r.Window = "1h"
		if r.Kind == Silence {
			r.Window = "24h"
		}
	}
	if days, isDays := strings.CutSuffix(r.Window, "d"); isDays {
		var n int
		n, err = strconv.Atoi(days)
		r.window = time.Duration(n) * 24 * time.Hour
	} else {
		r.window, err = time.ParseDuration(r.Window)
	}
	if err != nil || r.window < minWindow || r.window > maxWindow {
		return fmt.Errorf("its window cannot be %.20q", r.Window)
	}
	return nil
}

func (r *Rule) readLimit() (err error) {
	text, fallback := r.Above, ""
	switch r.Kind {
	case NewError, Silence, Digest:
		if r.Above != "" || r.Below != "" || r.Clear != "" {
			return errors.New("this kind has no limit")
		}
		return nil
	case Crash:
		fallback = "0"
	case FirstCall:
		text = r.Below
	}
	if r.Kind == FirstCall && r.Above != "" || r.Kind != FirstCall && r.Below != "" {
		return errors.New("above and below are mixed up")
	}
	if text == "" {
		text = fallback
	}
	if r.limit, err = r.read(text); err != nil {
		return err
	}
	switch {
	case r.Clear != "":
		r.clear, err = r.read(r.Clear)
	case r.Kind == FirstCall:
		r.clear = r.limit + (1-r.limit)/5
	default:
		r.clear = r.limit * 4 / 5
	}
	if outside := r.clear > r.limit; err == nil && (outside != (r.Kind == FirstCall)) && r.clear != r.limit {
		return errors.New("clear is on the wrong side of the limit")
	}
	return err
}

// read is a limit as a number: a share, microseconds or a count.
func (r *Rule) read(text string) (float64, error) {
	bad := fmt.Errorf("its limit cannot be %.20q", text)
	switch r.Kind {
	case P95:
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return 0, bad
		}
		return float64(d.Microseconds()), nil
	case Crash:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return 0, bad
		}
		return float64(n), nil
	}
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if percent {
		x /= 100
	}
	if err != nil || x < 0 || x > 1 {
		return 0, bad
	}
	return x, nil
}

// filters are the rule's, as the read API takes them.
func (r *Rule) filters() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"tool": r.Tool, "client": r.Client, "server": r.Server, "env": r.Env} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if r.Kind == SliceRate {
		return v // its share is of all calls
	}
	return v
}

// key names what is known of the rule.
func (r *Rule) key() string { return strconv.FormatUint(uint64(r.numericProject), 10) + "/" + r.Name }

// ReadFile reads rules from YAML: a list under alerts.
func ReadFile(text []byte) ([]Rule, error) {
	var file struct {
		Alerts []Rule `yaml:"alerts"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fault.Wrap(err, fault.BadRequest, "the file of alerts cannot be read: "+err.Error(), "docs/alerts.md has an example")
	}
	seen := map[string]bool{}
	for i := range file.Alerts {
		r := &file.Alerts[i]
		if err := r.Check(); err != nil {
			return nil, err
		}
		if r.Project == "" {
			return nil, fault.New(fault.BadRequest, fmt.Sprintf("alert %.64q names no project", r.Name), "project: NAME")
		}
		if key := r.Project + "\x00" + r.Name; seen[key] {
			return nil, fault.New(fault.BadRequest, fmt.Sprintf("two alerts of %.64q are called %.64q", r.Project, r.Name), "give one of them another name")
		} else {
			seen[key] = true
		}
		r.fromFile = true
	}
	return file.Alerts, nil
}

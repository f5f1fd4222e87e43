package main

import (
	"net/url"
)

// filterFlags narrow a question: the filters of the read API, by the same names.
type filterFlags struct {
	Project       string   `help:"Project; may be left out where there is only one." env:"UMPIRE_PROJECT" group:"filter"`
	Last          string   `help:"Window that ends now, in hours or days: 24h, 7d, 90d." placeholder:"7d" group:"filter"`
	From          string   `help:"Begin of the window, RFC 3339 or a date, UTC." placeholder:"TIME" group:"filter"`
	Until         string   `help:"End of the window (to in the API), RFC 3339 or a date, UTC." placeholder:"TIME" group:"filter"`
	Tool          []string `help:"Only this tool. This flag, and each that follows, may be repeated: any of them." sep:"none" placeholder:"NAME" group:"filter"`
	Client        []string `help:"Only this client." sep:"none" placeholder:"NAME" group:"filter"`
	ClientVersion []string `name:"client-version" help:"Only this version of a client." sep:"none" placeholder:"V" group:"filter"`
	Platform      []string `help:"Only this platform: claude, cursor, vscode …" sep:"none" placeholder:"NAME" group:"filter"`
	Server        []string `help:"Only this MCP server." sep:"none" placeholder:"NAME" group:"filter"`
	Version       []string `help:"Only this version of the MCP server." sep:"none" placeholder:"V" group:"filter"`
	Env           []string `help:"Only this environment." sep:"none" placeholder:"NAME" group:"filter"`
	Outcome       []string `help:"Only this outcome: ok, bad_args, tool_error, crashed." sep:"none" placeholder:"NAME" group:"filter"`
	Slice         []string `help:"Only this slice: ok, empty, bad_args, tool_error, crashed." sep:"none" placeholder:"NAME" group:"filter"`
	Cause         []string `help:"Only this cause." sep:"none" placeholder:"NAME" group:"filter"`
	ErrorType     []string `name:"error-type" help:"Only errors of this name." sep:"none" placeholder:"NAME" group:"filter"`
	ErrorStatus   []string `name:"error-status" help:"Only errors of this HTTP status." sep:"none" placeholder:"N" group:"filter"`
	ErrorClass    []string `name:"error-class" help:"Only failures of this class: 4xx, 429, 5xx, timeout, connection, arguments, named, unnamed." sep:"none" placeholder:"NAME" group:"filter"`
	NewSince      string   `name:"new-since" help:"Only failures of groups that first occurred then or later: RFC 3339 or a date, UTC." placeholder:"TIME" group:"filter"`
	Fingerprint   []string `help:"Only failures of this fingerprint." sep:"none" placeholder:"HEX" group:"filter"`
	EmptyRule     []string `name:"empty-rule" help:"Only empty answers by this rule." sep:"none" placeholder:"NAME" group:"filter"`
	Mark          []string `help:"Only successes with this mark." sep:"none" placeholder:"NAME" group:"filter"`
	Session       []string `help:"Only this session." sep:"none" placeholder:"ID" group:"filter"`
	User          []string `help:"Only this user." sep:"none" placeholder:"ID" group:"filter"`
}

// values are the filters as the read API takes them.
func (f *filterFlags) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"project": f.Project, "last": f.Last, "from": f.From, "to": f.Until, "new_since": f.NewSince} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for name, list := range map[string][]string{
		"tool": f.Tool, "client": f.Client, "client_version": f.ClientVersion, "platform": f.Platform, "server": f.Server, "version": f.Version, "env": f.Env,
		"outcome": f.Outcome, "slice": f.Slice, "cause": f.Cause, "error_type": f.ErrorType, "error_status": f.ErrorStatus,
		"error_class": f.ErrorClass, "fingerprint": f.Fingerprint, "empty_rule": f.EmptyRule, "mark": f.Mark, "session": f.Session, "user": f.User,
	} {
		if len(list) > 0 {
			v[name] = list
		}
	}
	return v
}

// questionFlags are those of every command that asks one question and prints what
// is answered.
type questionFlags struct {
	askFlags
	filterFlags
	JSON bool `help:"Print JSON, as the read API has it."`
}

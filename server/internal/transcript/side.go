package transcript

import (
	"slices"
	"strings"
)

// vantage knows which of "out" and "in" is the client's: a log is written at
// either end, and a request that only a client makes tells at which.
type vantage struct{ clientIs string }

// fromClient reports whether the client sent the message of e. Where the line does
// not say, the message does.
func (v *vantage) fromClient(e *entry) bool {
	way := wayOf(e.side)
	switch way {
	case "client", "server":
		return way == "client"
	case "out", "in":
		if v.clientIs == "" && slices.Contains(clientMethods, e.method) {
			v.clientIs = way
		}
		if v.clientIs != "" {
			return v.clientIs == way
		}
	}
	return !e.answer && !slices.Contains(serverMethods, e.method)
}

// clientMethods are requests that only a client makes, serverMethods what only a
// server sends.
var (
	clientMethods = []string{"initialize", "notifications/initialized", "tools/list", "tools/call", "server/discover"}
	serverMethods = []string{
		"sampling/createMessage", "elicitation/create", "roots/list", "notifications/message", "notifications/progress",
		"notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/resources/updated",
		"notifications/prompts/list_changed",
	}
)

// wayOf brings the word for a direction into client, server (who sent it), out, in
// (from where the log was written), or "".
func wayOf(side string) string {
	side = strings.NewReplacer("_", " ", "-", " ", ">", " > ", "<", " < ", "→", " > ", "←", " < ", "  ", " ").Replace(side)
	fields := strings.Fields(side)
	if len(fields) == 0 {
		return ""
	}
	switch fields[0] {
	case "to": // to server
		switch fields[len(fields)-1] {
		case "server":
			return "client"
		case "client":
			return "server"
		}
	case "from":
		fields = fields[1:]
	}
	if len(fields) == 0 {
		return ""
	}
	switch fields[0] {
	case "client", "c2s", "stdin", "c":
		return "client"
	case "server", "s2c", "stdout", "s":
		return "server"
	case "out", "outgoing", "outbound", "send", "sent", "sending", "tx", "write", ">":
		return "out"
	case "in", "incoming", "inbound", "recv", "receive", "received", "receiving", "rx", "read", "<":
		return "in"
	}
	return ""
}

// sideIn finds the word for a direction in what stands before a message in a log.
func sideIn(prefix string) string {
	prefix = strings.ToLower(prefix)
	for _, side := range []string{
		"from client", "from server", "to client", "to server", "client > server", "server > client",
		"client -> server", "server -> client", "client→server", "server→client", "sending", "received", "receiving", "sent", "recv",
		"outgoing", "incoming",
	} {
		if strings.Contains(prefix, side) {
			return side
		}
	}
	for _, arrow := range []string{"→", "←", ">>", "<<", "->", "<-", ">", "<"} {
		if strings.Contains(prefix, arrow) {
			return arrow
		}
	}
	return ""
}

package transcript

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/umpire-mcp/umpire/internal/mcpwire"
)

// entry is what one line says.
type entry struct {
	id       json.RawMessage   // of an exchange
	exchange *mcpwire.Exchange // nil if the line is none
	message  []byte            // a JSON-RPC message, or a batch; nil if there is none
	method   string            // of the message
	answer   bool              // the message is an answer
	side     string            // who sent it, in the words of the line
	at       time.Time
	session  string
	end      string // how the conversation ended
}

// read takes a line apart. It returns nil for what holds no JSON.
func read(text []byte) *entry {
	if members := object(text); members != nil {
		return ofObject(members, text)
	}
	if text[0] == '[' && json.Valid(text) {
		return ofMessage(text)
	}
	return ofLog(text)
}

// ofObject reads a line that is one JSON object.
func ofObject(members map[string]json.RawMessage, text []byte) *entry {
	if looksLikeMessage(object(members["request"])) {
		e := &entry{id: orNull(members["id"]), exchange: new(mcpwire.Exchange)}
		if json.Unmarshal(text, e.exchange) != nil {
			return &entry{}
		}
		return e
	}
	if members["jsonrpc"] != nil {
		return ofMessage(text)
	}
	e := new(entry)
	for _, key := range messageKeys {
		if inner := unwrapped(members[key]); inner != nil {
			e = ofMessage(inner)
			break
		}
	}
	if e.message == nil {
		if looksLikeMessage(members) {
			return ofMessage(text)
		}
		e.end, _ = word(members["end"])
	}
	for _, key := range sideKeys {
		if side, ok := word(members[key]); ok {
			e.side = strings.ToLower(strings.TrimSpace(side))
			break
		}
	}
	for _, key := range timeKeys {
		if members[key] != nil {
			e.at = timeOf(members[key])
			break
		}
	}
	for _, key := range sessionKeys {
		if session, ok := word(members[key]); ok {
			e.session = session
			break
		}
	}
	return e
}

// The names under which the parts of a record are looked for, in this order.
var (
	messageKeys = []string{"message", "frame", "data", "payload", "json", "body", "raw", "rpc", "msg", "text", "line"}
	sideKeys    = []string{"direction", "dir", "from", "sender", "source", "side", "type"}
	timeKeys    = []string{"time", "ts", "timestamp", "at", "@timestamp", "date"}
	sessionKeys = []string{"session", "session_id", "sessionId", "conversation", "connection", "connection_id"}
)

// ofMessage reads a JSON-RPC message, or a batch, which is told by its first.
func ofMessage(text []byte) *entry {
	first := object(text)
	if first == nil {
		var batch []json.RawMessage
		if json.Unmarshal(text, &batch) != nil || len(batch) == 0 {
			return &entry{}
		}
		first = object(batch[0])
	}
	if !looksLikeMessage(first) {
		return &entry{}
	}
	e := &entry{message: text}
	e.method, _ = word(first["method"])
	e.answer = e.method == ""
	return e
}

// ofLog reads a log line that ends in a message: what stands before it may tell
// the time and the direction.
func ofLog(text []byte) *entry {
	from := 0
	for range maxBraces {
		n := bytes.IndexByte(text[from:], '{')
		if n < 0 {
			return nil
		}
		from += n
		var inner json.RawMessage
		if json.NewDecoder(bytes.NewReader(text[from:])).Decode(&inner) == nil {
			e := ofObject(object(inner), inner)
			prefix := string(text[:from])
			if e.side == "" {
				e.side = sideIn(prefix)
			}
			if e.at.IsZero() {
				e.at = timeIn(prefix)
			}
			return e
		}
		from++
	}
	return nil
}

// maxBraces is how many braces of a log line may turn out to begin no message.
const maxBraces = 20

// unwrapped returns the message that a member holds, as JSON or as a text of JSON.
func unwrapped(raw json.RawMessage) []byte {
	if s, ok := word(raw); ok {
		raw = bytes.TrimSpace([]byte(s))
	}
	if e := ofMessageIf(raw); e != nil {
		return e.message
	}
	return nil
}

func ofMessageIf(raw []byte) *entry {
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' || !json.Valid(raw) {
		return nil
	}
	if e := ofMessage(raw); e.message != nil {
		return e
	}
	return nil
}

// looksLikeMessage reports whether an object can be a JSON-RPC message.
func looksLikeMessage(members map[string]json.RawMessage) bool {
	if _, ok := word(members["method"]); ok {
		return true
	}
	return members["id"] != nil && (members["result"] != nil || members["error"] != nil || members["jsonrpc"] != nil)
}

// timeOf reads a time: a text, or a number of seconds, milliseconds, microseconds
// or nanoseconds since 1970, told apart by its size. The zero time is none.
func timeOf(raw json.RawMessage) time.Time {
	s, ok := word(raw)
	if !ok {
		s = string(raw)
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return unixTime(n)
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			return at
		}
	}
	return time.Time{}
}

var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05,999", time.RFC1123, time.RFC1123Z,
}

func unixTime(n float64) time.Time {
	const year2200 = 7.3e9
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond} {
		perSecond := float64(time.Second / unit)
		if seconds := n / perSecond; seconds > 0 && seconds < year2200 {
			whole, part := math.Modf(seconds)
			return time.Unix(int64(whole), int64(part*1e9)).UTC().Round(time.Microsecond)
		}
	}
	return time.Time{}
}

// timeIn finds the time with which a log line begins.
func timeIn(prefix string) time.Time {
	fields := strings.Fields(strings.TrimLeft(prefix, "[("))
	for n := min(2, len(fields)); n > 0; n-- {
		raw, _ := json.Marshal(strings.TrimRight(strings.Join(fields[:n], " "), "])|:,"))
		if at := timeOf(raw); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// object reads a JSON object; nil for anything else.
func object(text []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if len(text) == 0 || json.Unmarshal(text, &members) != nil {
		return nil
	}
	return members
}

// word reads a JSON string.
func word(raw json.RawMessage) (s string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

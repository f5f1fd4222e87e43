package mcpwire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// message is one JSON-RPC message of a frame. Names are matched as they are
// written: a JSON-RPC peer takes "Method" for nothing.
type message struct {
	id     string // of idKey; "" if it has none, and for a null
	rawID  json.RawMessage
	method string
	params json.RawMessage
	result json.RawMessage
	error  json.RawMessage

	named bool  // it has a member jsonrpc
	cut   bool  // of a frame over MaxFrame: what is long is a number of bytes
	value int64 // then: the bytes of params, result or error
}

// isAnswer reports whether the message answers a request.
func (m *message) isAnswer() bool { return m.method == "" && (m.result != nil || m.error != nil) }

// isForeign reports whether the message is what any HTTP server may say, such as
// {"error":"invalid_token"}: JSON-RPC names itself, or the request that it answers.
func (m *message) isForeign() bool { return !m.named && m.rawID == nil }

// maxBatch is how many messages of a batch are looked at.
const maxBatch = 1000

// messages takes a frame apart. It returns none for what is no JSON-RPC.
func messages(f Frame) []message {
	text := bytes.TrimSpace(f.Data)
	if len(text) == 0 || text[0] != '{' && text[0] != '[' || !json.Valid(text) {
		return nil
	}
	if text[0] == '{' {
		return appendMessage(nil, text, f)
	}
	var list []message
	for _, one := range array(text, maxBatch) {
		list = appendMessage(list, one, f)
	}
	return list
}

func appendMessage(list []message, text []byte, f Frame) []message {
	fields := object(text)
	if fields == nil {
		return list
	}
	m := message{
		id: idKey(fields.get("id")), rawID: fields.get("id"), params: fields.get("params"), result: fields.get("result"), error: fields.get("error"),
		named: fields.get("jsonrpc") != nil, cut: f.IsCut(), value: f.value,
	}
	if string(m.error) == "null" { // as some write beside a result
		m.error = nil
	}
	m.method, _ = textOf(fields.get("method"))
	if m.method == "" && m.id != "" && m.result == nil && m.error == nil && m.named {
		m.result = json.RawMessage("null") // what a result of undefined leaves in JavaScript
	}
	if m.method == "" && !m.isAnswer() {
		return list
	}
	return append(list, m)
}

// maxID is the longest id that is remembered as it is.
const maxID = 100

// idKey brings a request's id into one form: 1 and 1.0 are the same id, 1 and
// "1" are not.
func idKey(raw []byte) (key string) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		s, _ := textOf(raw)
		key = `"` + s
	default:
		key = string(raw)
		if n, err := strconv.ParseFloat(key, 64); err == nil && (len(key) > 15 || bytes.ContainsAny(raw, ".eE")) {
			if _, err := strconv.ParseInt(key, 10, 64); err != nil {
				key = strconv.FormatFloat(n, 'f', -1, 64)
			}
		}
	}
	if len(key) > maxID {
		sum := sha256.Sum256([]byte(key))
		key = "#" + hex.EncodeToString(sum[:])
	}
	return key
}

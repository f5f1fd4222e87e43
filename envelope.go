package umpire

// envelope is what an object says about the success of a call, at its top.
type envelope struct {
	members    int
	hasError   bool // error, and something in it
	saysError  bool // "type":"error"
	unsuccess  bool // success or ok is false
	badStatus  bool // status says error, failed or failure
	badNumber  bool // status is a number from 400
	badCode    bool // code is a number from 400
	codeSays   bool // code is a text that says err or fail
	hasCode    bool
	hasMessage bool
	hasData    bool // a member that is neither status, success, ok, code nor narration
}

// note takes in one member. Of a name that occurs twice the last one counts,
// but success and ok are asked together.
func noteEnvelope[T jsonText](e *envelope, key answerKey, s T, v jsonValue) {
	e.members++
	switch key {
	case keyError:
		e.hasError = v.kind != jsonFalse && !v.void()
	case keyType:
		e.saysError = v.kind == jsonString && isWord(s[v.from+1:v.to-1], "error")
	case keySuccess:
		e.unsuccess = e.unsuccess || v.kind == jsonFalse
	case keyStatus:
		e.badStatus = v.kind == jsonString && saysFailed(s[v.from+1:v.to-1])
		e.badNumber = v.kind == jsonNumber && number(s[v.from:v.to]) >= 400
	case keyCode:
		e.hasCode = true
		e.badCode = v.kind == jsonNumber && number(s[v.from:v.to]) >= 400
		e.codeSays = v.kind == jsonString && saysErrOrFail(s[v.from+1:v.to-1])
	case keyMessage:
		e.hasMessage = true
	}
	switch key {
	case keyStatus, keySuccess, keyCode, keyMessage, keyNarration, keyWords:
		e.hasData = e.hasData || !key.neutral(v)
	default:
		e.hasData = true
	}
}

// structuredError is the mark of that name (outcomes.md 4).
func (e *envelope) structuredError() bool {
	return e.hasError || e.members == 2 && e.hasCode && e.hasMessage && e.codeSays
}

// envelopeError is the mark of that name, for an envelope without a structured error.
func (e *envelope) envelopeError() bool {
	return e.saysError || e.unsuccess || e.badStatus || e.badNumber || e.badCode
}

func (e *envelope) failed() bool { return e.structuredError() || e.envelopeError() }

// only reports whether the object holds nothing but the envelope.
func (e *envelope) only() bool { return e.members > 0 && !e.hasData }

// isWord reports whether a raw string body is the word, in any case.
func isWord[T jsonText](body T, word string) bool {
	var k foldedKey
	foldKey(&k, body)
	return !k.long && string(k.buf[:k.n]) == word
}

func saysFailed[T jsonText](body T) bool {
	var k foldedKey
	foldKey(&k, body)
	if k.long {
		return false
	}
	switch string(k.buf[:k.n]) {
	case "error", "failed", "failure":
		return true
	}
	return false
}

// saysErrOrFail reports whether a code such as E_TOOL_ERROR, ERR_X or
// PaymentFailed says that something went wrong. "err" must begin a word, so
// that TERRAFORM does not.
func saysErrOrFail[T jsonText](code T) bool {
	for i := 0; i < len(code); i++ {
		switch code[i] | 0x20 {
		case 'f':
			if hasFoldedPrefix(code[i:], "fail") {
				return true
			}
		case 'e':
			if hasFoldedPrefix(code[i:], "error") || hasFoldedPrefix(code[i:], "err") && beginsWord(code, i) {
				return true
			}
		}
	}
	return false
}

// beginsWord reports whether a word begins at s[i]: no letter stands before it,
// or a small one before a capital.
func beginsWord[T jsonText](s T, i int) bool {
	if i == 0 || !isLetter(s[i-1]) {
		return true
	}
	return isCapital(s[i]) && !isCapital(s[i-1])
}

func isLetter(c byte) bool  { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

// hasFoldedPrefix reports whether s begins with a prefix of small ASCII
// letters, blanks and signs, in any case of letters.
func hasFoldedPrefix[T jsonText](s T, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		c := s[i]
		if isCapital(c) {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

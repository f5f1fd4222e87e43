package umpire

import (
	"unicode"
	"unicode/utf8"
)

// Limits of the mark error_text (outcomes.md 4), in characters.
const (
	errorLeadIn   = 40  // before "error:"
	errorSentence = 160 // of a sentence that ends in "not found"
)

// beginsLikeFailure is the mark error_text for a text. Only the beginning is
// read, and of a short text the end; nothing is copied or lower-cased.
func beginsLikeFailure[T jsonText](text T) bool {
	text = trimStart(text)
	if len(text) == 0 {
		return false
	}
	return firstWordsFail(text) || leadsToError(text) || saysMissing(text)
}

// firstWordsFail compares the first words with those that say failure.
func firstWordsFail[T jsonText](text T) bool {
	switch text[0] {
	case '<':
		return hasFoldedPrefix(text, "<error>") || hasFoldedPrefix(text, "<error ")
	case 'e', 'E':
		return opensWith(text, "error") || opensWith(text, "exception")
	case 'f', 'F':
		return opensWith(text, "failed")
	case 't', 'T':
		return opensWith(text, "traceback")
	case 'a', 'A':
		return opensWith(text, "an error occurred")
	case 'm', 'M':
		return opensWith(text, "missing required")
	case 'i', 'I':
		return opensWith(text, "invalid argument") || opensWith(text, "invalid arguments") ||
			opensWith(text, "invalid parameter") || opensWith(text, "invalid parameters")
	}
	return false
}

func opensWith[T jsonText](text T, words string) bool {
	return hasFoldedPrefix(text, words) && endsWord(text, len(words))
}

// endsWord reports whether a word ends before text[i]. What goes on as in
// "error.log", "error_count" or "failed-over" is a longer word.
func endsWord[T jsonText](text T, i int) bool {
	if i >= len(text) {
		return true
	}
	switch c := text[i]; c {
	case '.', '-', '/', '\\':
		return i+1 >= len(text) || !isLetter(text[i+1])
	default:
		return !isWordByte(c) && !letterAt(text, i)
	}
}

func isWordByte(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }

// leadsToError reports whether up to 40 characters of one line are followed by
// "error:", as a word or as the end of a name such as ValueError.
func leadsToError[T jsonText](text T) bool {
	const word = "error:"
	n := 0 // characters before text[i]
	for i := 0; i < len(text) && n < errorLeadIn+len(word); i++ {
		c := text[i]
		if c&0xc0 != 0x80 { // no continuation byte
			n++
		}
		switch {
		case c > ':':
		case c == '\n' || c == '\r':
			return false
		case c == ':' && i >= len(word)-1:
			if at := i + 1 - len(word); hasFoldedPrefix(text[at:], word) && beginsErrorWord(text, at) {
				return true
			}
		}
	}
	return false
}

// beginsErrorWord reports whether "error" at text[i] is a word of its own or
// ends a name in camel case: ValueError and HTTPError, but no mirror or terror.
func beginsErrorWord[T jsonText](text T, i int) bool {
	if i == 0 {
		return true
	}
	if before := text[i-1]; isWordByte(before) {
		return text[i] == 'E' && text[i+1] == 'r' && before != '_'
	}
	return true
}

// saysMissing reports whether text is one short sentence that ends in "not
// found" or "does not exist".
func saysMissing[T jsonText](text T) bool {
	if len(text) > errorSentence*utf8.UTFMax {
		return false
	}
	end := len(text)
	for end > 0 && (text[end-1] == ' ' || '\t' <= text[end-1] && text[end-1] <= '\r') {
		end--
	}
	whole := text[:end]
	if end > 0 && (text[end-1] == '.' || text[end-1] == '!') {
		end--
	}
	return endsInWords(text[:end], "not found", "does not exist") && oneSentence(text[:end]) &&
		characters(whole) <= errorSentence
}

func characters[T jsonText](text T) int {
	n := 0
	for i := 0; i < len(text); i++ {
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	return n
}

func endsInWords[T jsonText](text T, endings ...string) bool {
	for _, words := range endings {
		at := len(text) - len(words)
		if at >= 0 && hasFoldedPrefix(text[at:], words) && (at == 0 || !isWordByte(text[at-1])) {
			return true
		}
	}
	return false
}

// oneSentence reports whether no line and no sentence ends within text.
func oneSentence[T jsonText](text T) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n', '\r':
			return false
		case '.', '!', '?':
			if i+1 < len(text) && text[i+1] == ' ' {
				return false
			}
		}
	}
	return true
}

// letterAt reports whether a letter beyond ASCII stands at text[i].
func letterAt[T jsonText](text T, i int) bool {
	if text[i] < utf8.RuneSelf {
		return false
	}
	r, _ := runeAt(text, i)
	return unicode.IsLetter(r)
}

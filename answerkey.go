package umpire

import "unicode/utf8"

// answerKey is what the name of a member says about its value (outcomes.md 3.3
// and 4). Names are compared without regard to case, "_", "-" and ".".
type answerKey uint8

const (
	keyOther answerKey = iota
	keyPaging
	keyPager // an object that holds paging
	keyMeta  // an object that may hold paging
	keyNarration
	keyWords // narration when it is a text or a number, else data
	keyMessage
	keyCount // a number that counts what was found

	// The envelope.
	keyStatus
	keyCode
	keySuccess // or ok
	keyError
	keyErrors // or warnings

	keyType
)

// neutral reports whether the name alone settles that v is neither data nor a
// lack of data.
func (k answerKey) neutral(v jsonValue) bool {
	switch k {
	case keyStatus, keyCode, keySuccess, keyError, keyErrors, keyMessage, keyNarration:
		return !v.filled()
	case keyPaging, keyPager:
		return v.kind < jsonList
	case keyWords:
		return v.kind == jsonString || v.kind == jsonNumber
	}
	return false
}

// keyRoom is the longest folded name that any table holds, and more.
const keyRoom = 32

// foldedKey is a name as it is compared. Of a name longer than the room it is
// the end, which is enough to see what the name ends in.
type foldedKey struct {
	buf  [keyRoom]byte
	n    int
	long bool
}

// foldKey folds the name whose raw body is given, escapes resolved.
func foldKey[T jsonText](k *foldedKey, body T) {
	k.n = 0
	if k.long = len(body) > keyRoom; k.long {
		body = body[len(body)-keyRoom:] // an escape that this cuts is no letter of ours
	}
	for i := 0; i < len(body); {
		c := body[i]
		i++
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '_' || c == '-' || c == '.':
			continue
		case c == '\\' && !k.long:
			var r rune
			if r, i = escapeAt(body, i-1); r < utf8.RuneSelf {
				c = byte(r)
			}
		}
		k.buf[k.n] = c
		k.n++
	}
}

// answers says what the name means in the answer of a tool.
func (k *foldedKey) answers() answerKey {
	name := k.buf[:k.n]
	if !k.long {
		if key := namedKey(name); key != keyOther {
			return key
		}
	}
	if endsInCount(name) {
		return keyCount
	}
	return keyOther
}

func namedKey(name []byte) answerKey {
	switch string(name) {
	case "status":
		return keyStatus
	case "code":
		return keyCode
	case "success", "ok":
		return keySuccess
	case "error":
		return keyError
	case "errors", "warnings":
		return keyErrors
	case "type":
		return keyType
	case "message":
		return keyMessage
	case "msg", "statusmessage", "statustext", "note", "hint", "hints", "tip", "tips", "info", "detail", "reason",
		"explanation", "suggestion", "recommendation", "nextstep", "nextsteps", "warning", "notice",
		"duration", "durationms", "durations", "durationseconds", "elapsed", "elapsedms", "elapsedtime", "elapsedseconds",
		"took", "tookms", "timetaken", "timems", "executiontime", "executiontimems", "querytime", "querytimems",
		"responsetime", "latency", "latencyms", "timestamp", "requestid", "traceid", "correlationid":
		return keyNarration
	case "cursor", "nextcursor", "prevcursor", "previouscursor", "startcursor", "endcursor",
		"page", "pageno", "pagenumber", "pagenum", "pageindex", "pagesize", "perpage", "pagecount", "totalpages", "numpages",
		"pagetoken", "nextpagetoken", "nexttoken", "continuationtoken", "marker", "nextmarker", "scrollid",
		"next", "prev", "previous", "nextpage", "prevpage", "previouspage", "currentpage", "firstpage", "lastpage",
		"nexturl", "prevurl", "nextlink", "@odatanextlink", "nextpageurl", "prevpageurl", "nextpagelink",
		"offset", "nextoffset", "skip", "limit", "after", "before", "startat", "maxresults", "startindex",
		"more", "hasmore", "hasnext", "hasnextpage", "hasprev", "hasprevious", "haspreviouspage", "istruncated", "truncated":
		return keyPaging
	case "notes", "details", "suggestions", "pages":
		return keyWords
	case "pageinfo", "paging", "pagination":
		return keyPager
	case "meta", "metadata", "links":
		return keyMeta
	}
	return keyOther
}

// endsInCount reports whether a number of this name counts what was found: the
// name is, or ends in, count, total, hits or matches.
func endsInCount(name []byte) bool {
	if hasSuffix(name, "count") {
		return !hasSuffix(name, "account") && !hasSuffix(name, "discount")
	}
	return hasSuffix(name, "total") || hasSuffix(name, "hits") || hasSuffix(name, "matches")
}

func hasSuffix(name []byte, end string) bool {
	return len(name) >= len(end) && string(name[len(name)-len(end):]) == end
}

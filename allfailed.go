package umpire

import "strconv"

// tally gathers what an object says about the fate of several items: by its own
// counts (numbers, and the lengths of lists), and item by item.
type tally struct {
	failed     float64 // the largest number given
	failedList int     // the longest list of failures
	errors     float64 // errors, which may be findings: they count only beside a success of zero
	succeeded  float64
	hasSuccess bool
	totals     [4]float64
	ntotals    int

	items     int  // in lists whose items all failed
	doubtful  bool // some of them may be data: a list of failed jobs, a log of errors
	otherItem bool // a list of objects that did not all fail
}

type batchRole uint8

const (
	roleNone batchRole = iota
	roleFailed
	roleErrors
	roleSucceeded
	roleTotal
	roleSummary
	roleResults // a list with an item for each thing that was asked for
)

// batchRole says what a number or a list of this name counts in a batch.
func (k *foldedKey) batchRole() batchRole {
	name := k.buf[:k.n]
	switch {
	case k.long, hasSuffix(name, "rate"), hasSuffix(name, "ratio"), hasSuffix(name, "percent"), hasSuffix(name, "at"):
		return roleNone
	case hasFoldedPrefix(name, "fail"):
		return roleFailed
	case hasFoldedPrefix(name, "succe"), hasFoldedPrefix(name, "completed"), hasFoldedPrefix(name, "passed"):
		return roleSucceeded
	}
	switch string(name) {
	case "numfailed", "totalfailed", "totalfailures", "numfailures":
		return roleFailed
	case "errors", "errorcount", "numerrors", "totalerrors", "errored":
		return roleErrors
	case "ok", "done", "created", "updated", "deleted", "added", "removed", "imported", "inserted", "sent", "moved", "applied", "saved",
		"numsucceeded", "numsuccessful", "totalsucceeded", "totalsuccessful", "totalsuccess":
		return roleSucceeded
	case "total", "count", "totalcount", "totalrequested", "requested", "attempted", "processed", "totalprocessed", "totalitems",
		"totaltasks", "totaloperations", "totalrequests", "totalfiles", "submitted", "batchsize":
		return roleTotal
	case "summary", "stats", "statistics", "counts", "totals":
		return roleSummary
	case "results", "responses", "outcomes", "operations", "items", "data":
		return roleResults
	}
	return roleNone
}

// noteBatch takes in one member of the payload.
func noteBatch[T jsonText](b *tally, k *foldedKey, key answerKey, s T, v jsonValue) {
	if v.kind != jsonNumber && v.kind < jsonList {
		return
	}
	role := k.batchRole()
	if v.kind == jsonNumber {
		noteCount(b, role, number(s[v.from:v.to]))
		return
	}
	switch role {
	case roleFailed:
		b.failedList = max(b.failedList, v.items)
	case roleErrors:
		b.errors = max(b.errors, float64(v.items))
	case roleSucceeded:
		b.hasSuccess = true
		b.succeeded += float64(v.items)
	case roleSummary:
		noteSummary(b, s[v.from:v.to])
	default:
		if v.kind == jsonList && key == keyOther {
			noteItems(b, s[v.from:v.to], role == roleResults)
		}
	}
}

func noteCount(b *tally, role batchRole, n float64) {
	switch role {
	case roleFailed:
		b.failed = max(b.failed, n)
	case roleErrors:
		b.errors = max(b.errors, n)
	case roleSucceeded:
		b.hasSuccess = true
		b.succeeded += n
	case roleTotal:
		if b.ntotals < len(b.totals) {
			b.totals[b.ntotals] = n
			b.ntotals++
		}
	}
}

// noteSummary takes in the numbers of an object such as {"total":2,"failed":2}.
func noteSummary[T jsonText](b *tally, s T) {
	if s[0] != '{' {
		return
	}
	p := jsonScan[T]{s: s, pos: 1}
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		v := p.value(scanDepth)
		if p.bad {
			return
		}
		if v.kind == jsonNumber {
			var k foldedKey
			foldKey(&k, s[from:to])
			noteCount(b, k.batchRole(), number(s[v.from:v.to]))
		}
	}
}

// noteItems takes in a valid list, up to the first item that did not fail. An
// item without success says so itself. An error in it is doubtful unless the
// list is one of results, and a bad status always is.
func noteItems[T jsonText](b *tally, s T, results bool) {
	p := jsonScan[T]{s: s, pos: 1}
	n := 0
	for ; p.more(n, ']'); n++ {
		if p.space(); s[p.pos] != '{' {
			if n > 0 {
				b.otherItem = true
			}
			return // a list of names says nothing about success
		}
		var e envelope
		readEnvelope(&p, &e)
		switch {
		case e.unsuccess || results && e.structuredError():
		case e.structuredError() || e.badStatus || e.saysError:
			b.doubtful = true
		default:
			b.otherItem = true
			return
		}
	}
	b.items += n
}

// readEnvelope reads the object at which p stands.
func readEnvelope[T jsonText](p *jsonScan[T], e *envelope) {
	p.pos++
	for n := 0; p.more(n, '}'); n++ {
		from, to := p.name()
		v := p.value(scanDepth)
		if p.bad {
			return
		}
		var k foldedKey
		foldKey(&k, p.s[from:to])
		noteEnvelope(e, k.answers(), p.s, v)
	}
}

// allFailed is the mark all_failed (outcomes.md 4): more than nothing failed,
// nothing succeeded, and a total that is given is the number of failures.
func (b *tally) allFailed(arguments []byte) bool {
	if b.succeeded > 0 {
		return false
	}
	failed := b.failed
	if failed <= 0 {
		failed = float64(b.failedList)
	}
	if failed <= 0 && b.hasSuccess {
		failed = b.errors
	}
	if failed > 0 && (b.hasSuccess || b.ntotals > 0) {
		return b.isTotal(failed)
	}
	if b.items == 0 || b.otherItem || !b.isTotal(float64(b.items)) {
		return false
	}
	return !b.doubtful || listOf(arguments, b.items)
}

// isTotal reports whether no total is given, or one that is n.
func (b *tally) isTotal(n float64) bool {
	for _, total := range b.totals[:b.ntotals] {
		if total == n {
			return true
		}
	}
	return b.ntotals == 0
}

// listOf reports whether an argument is a list of n items: then the call asked
// for a batch, and its answer has an item for each.
func listOf(arguments []byte, n int) bool {
	if len(arguments) > echoCap {
		return false
	}
	p := jsonScan[[]byte]{s: arguments}
	if p.space(); p.pos >= len(arguments) || arguments[p.pos] != '{' {
		return false
	}
	p.pos++
	for i := 0; p.more(i, '}'); i++ {
		p.name()
		if v := p.value(scanDepth); v.kind == jsonList && v.items == n {
			return true
		}
	}
	return false
}

func number[T jsonText](token T) float64 {
	f, _ := strconv.ParseFloat(string(token), 64) // beyond a double it is infinite
	return f
}

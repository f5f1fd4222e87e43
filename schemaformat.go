package umpire

import (
	"strings"
	"time"
)

// brokenFormat reports whether v is clearly not of the format. Formats are hints
// in JSON Schema and servers read them differently, so what some would take
// passes: a date alone or a blank for the T in a date-time, a time behind a date.
//
//	date-time, date  does not begin with a day of the calendar, YYYY-MM-DD
//	uuid             has not 32 hexadecimal digits, dashes, braces and urn: aside
//	email            has no @ with something on both sides, or a blank
//	uri              has no scheme, or a blank
func brokenFormat(format, v string) bool {
	switch format {
	case "date-time", "date":
		if len(v) < len(time.DateOnly) {
			return true
		}
		_, err := time.Parse(time.DateOnly, v[:len(time.DateOnly)])
		return err != nil
	case "uuid":
		return brokenUUID(v)
	case "email":
		at := strings.LastIndexByte(v, '@')
		return at <= 0 || at == len(v)-1 || strings.ContainsAny(v, " \t\r\n") && v[0] != '"'
	case "uri":
		colon := strings.IndexByte(v, ':')
		return colon <= 0 || strings.ContainsAny(v, " \t\r\n") || strings.ContainsAny(v[:colon], "/?#")
	}
	return false
}

func brokenUUID(v string) bool {
	v = strings.TrimPrefix(strings.ToLower(v), "urn:uuid:")
	v = strings.TrimSuffix(strings.TrimPrefix(v, "{"), "}")
	digits := 0
	for k := range len(v) {
		switch c := v[k]; {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			digits++
		case c != '-':
			return true
		}
	}
	return digits != 32
}

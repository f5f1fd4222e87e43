package redact

import "strings"

// findIPv4 finds an address in dotted form that begins at s[i], or a range of
// two. Four small numbers may as well be a version or a section: they count as
// an address if they have a port or a prefix behind them, a word such as host
// before them, or the numbers of one. 127.*, 0.0.0.0 and masks name no machine
// and stay.
func findIPv4(s string, from, i int) (int, int, bool) {
	octets, end := readIPv4(s, i)
	if end == 0 {
		return 0, 0, false
	}
	ranged := false
	if end < len(s) && s[end] == '-' {
		_, second := readIPv4(s, end+1)
		if ranged = second > 0; ranged {
			end = second
		}
	}
	if !ipEnds(s, end) || octets[0] == 127 || octets[0] == 0 || octets[0] == 255 {
		return 0, 0, false
	}
	port := end+1 < len(s) && s[end] == ':' && isDigit(s[end+1])
	prefix := end+1 < len(s) && s[end] == '/' && isDigit(s[end+1])
	if i > from && s[i-1] == '/' && i-1 > from && isAlnum(s[i-2]) && !port {
		return 0, 0, false // Chrome/120.0.0.0
	}
	if octets[1] == 0 && octets[2] == 0 && octets[3] == 0 && !prefix {
		return 0, 0, false
	}
	if isVersion(s, from, i) {
		return 0, 0, false
	}
	return i, end, ranged || port || prefix || octets.large() || near(s, from, i, i, ipWords)
}

func beginsIPv4(n int, next, after byte) bool { return n <= 3 && next == '.' && after == '1' }

type quad [4]int

// large reports whether the numbers are hardly those of a version.
func (q *quad) large() bool {
	if q[0] == 10 || q[0] == 192 && q[1] == 168 || q[0] == 172 && q[1] >= 16 && q[1] < 32 {
		return true
	}
	n := 0
	for _, v := range q {
		if v >= 100 {
			return true
		}
		if v >= 32 {
			n++
		}
	}
	return n >= 2
}

// readIPv4 reads four numbers up to 255 without zeros in front. end is 0 if
// there are none, or more than four.
func readIPv4(s string, i int) (q quad, end int) {
	for n := range 4 {
		if n > 0 {
			if i >= len(s) || s[i] != '.' {
				return q, 0
			}
			i++
		}
		stop := digitsEnd(s, i)
		if stop == i || stop-i > 3 || stop-i > 1 && s[i] == '0' {
			return q, 0
		}
		for ; i < stop; i++ {
			q[n] = q[n]*10 + int(s[i]-'0')
		}
		if q[n] > 255 {
			return q, 0
		}
	}
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		return q, 0
	}
	return q, i
}

func ipEnds(s string, end int) bool {
	if end >= len(s) {
		return true
	}
	switch c := s[end]; c {
	case '+', '*':
		return false
	case '-':
		return end+1 >= len(s) || !isWord(s[end+1])
	default:
		return !isWord(c)
	}
}

// ipWords say that four numbers behind them are an address.
var ipWords = []string{
	"ip*", "ipv4", "addr", "address", "host", "hostname", "peer", "remote*", "dial", "tcp", "udp", "connect*", "ping",
	"dns", "nameserver", "resolver", "resolved", "lookup", "gateway", "subnet", "proxy", "listen*", "bind", "upstream",
	"forwarded*", "src", "dst", "ssh", "reach",
}

// versionWords say that numbers with dots behind them are none.
var versionWords = [...]string{
	"version", "versions", "ver", "v", "release", "rev", "revision", "build", "firmware", "driver", "section", "sec",
	"chapter", "clause", "paragraph", "para", "appendix", "figure", "table", "oid", "rule", "requires", "than", "rfc",
}

// isVersion reports whether what stands before i makes the number there a
// version: a word, or a sign of comparison.
func isVersion(s string, from, i int) bool {
	k := i
	for k > from && i-k < 5 && strings.IndexByte(" \"':=(\\", s[k-1]) >= 0 {
		k--
	}
	if k > from && strings.IndexByte("^~<>!", s[k-1]) >= 0 && (k-1 == from || s[k-2] != '-') || strings.Contains(s[k:i], "==") {
		return true
	}
	end := k
	for k > from && end-k < 12 && isLetter(s[k-1]) {
		k--
	}
	for _, w := range versionWords {
		if strings.EqualFold(s[k:end], w) {
			return true
		}
		if n := end - len(w); w == "version" && n > k && strings.EqualFold(s[n:end], w) { // appVersion
			return true
		}
	}
	return false
}

// findIPv6 finds an address by RFC 4291; s[i] is its first colon. It has eight
// groups, or a :: and the first group of an address that is in use, so that
// times, paths of C++ and MAC addresses stay. So does ::1.
func findIPv6(s string, from, i int) (int, int, bool) {
	start := i
	for start > from && i-start < 5 && isHex(s[start-1]) {
		start--
	}
	if i-start > 4 || start > from && (isKeyByte(s[start-1]) || s[start-1] == ':' || s[start-1] == '.') {
		return 0, 0, false
	}
	if i+1 >= len(s) || !isHex(s[i+1]) && s[i+1] != ':' || start == i && s[i+1] != ':' {
		return 0, 0, false
	}
	groups, long, gap, end := readIPv6(s, start)
	switch {
	case end == 0 || end < len(s) && (isWord(s[end]) || s[end] == ':'):
		return 0, 0, false
	case !gap:
		return start, withZone(s, end), groups == 8 && long >= 2
	case start == i: // ::ffff:10.0.0.1, and nothing shorter
		mapped := groups >= 3 && groups < 8 && hasFold(s, start, "::ffff:")
		return start, withZone(s, end), mapped && !strings.HasPrefix(s[start+len("::ffff:"):], "127.")
	}
	return start, withZone(s, end), groups < 8 && inUse(s[start:i])
}

// readIPv6 reads groups with colons between them. A dotted address at the end
// counts as two.
func readIPv6(s string, k int) (groups, long int, gap bool, end int) {
	start := k
	for groups < 9 {
		stop := k
		for stop < len(s) && stop-k < 5 && isHex(s[stop]) {
			stop++
		}
		if stop-k > 4 {
			return groups, long, gap, 0
		}
		if stop > k {
			if groups++; stop-k >= 3 {
				long++
			}
			if stop < len(s) && s[stop] == '.' && groups > 1 {
				if _, v4 := readIPv4(s, k); v4 > 0 {
					return groups + 1, long, gap, v4
				}
			}
			end = stop
		}
		k = stop
		switch {
		case k+1 < len(s) && s[k] == ':' && s[k+1] == ':':
			if gap {
				return groups, long, gap, 0
			}
			gap = true
			k += 2
			end = k
		case k+1 < len(s) && s[k] == ':' && k > start && isHex(s[k+1]):
			k++
		default:
			return groups, long, gap, end
		}
	}
	return groups, long, gap, 0
}

// inUse reports whether a first group belongs to global, local or multicast
// addresses.
func inUse(group string) bool {
	if len(group) != 4 {
		return group == "64"
	}
	switch group[0] {
	case '2', '3':
		return true
	case 'f', 'F':
		switch c, d := group[1]|0x20, group[2]|0x20; c {
		case 'c', 'd': // unique local
			return true
		case 'e': // link local
			return d >= '8' && d <= 'b'
		case 'f': // multicast
			return d <= '3'
		}
	}
	return false
}

// withZone takes the %eth0 behind a local address along.
func withZone(s string, end int) int {
	if end >= len(s) || s[end] != '%' {
		return end
	}
	k := end + 1
	for k < len(s) && k-end < 20 && isAlnum(s[k]) {
		k++
	}
	if k == end+1 {
		return end
	}
	return k
}

func isHex(c byte) bool { return isDigit(c) || (c|0x20)-'a' <= 'f'-'a' }

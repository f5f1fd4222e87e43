package format

import (
	"fmt"
	"strconv"
)

// Duration writes microseconds the way they are spoken of: 840 µs, 1.9 ms,
// 88 ms, 1.9 s, 2 m 05 s, 3 h 10 m. A value that would round up to the next
// unit is written in it: 999.5 ms is 1.0 s.
func Duration(us int64) string {
	const ms, s = 1000, 1000 * 1000
	switch {
	case us < 0:
		return "-" + Duration(-us)
	case us < ms:
		return strconv.FormatInt(us, 10) + " µs"
	case us < 9950:
		return tenth(us, ms) + " ms"
	case us < 999500:
		return strconv.FormatInt((us+ms/2)/ms, 10) + " ms"
	case us < 59950*ms:
		return tenth(us, s) + " s"
	}
	seconds := (us + s/2) / s
	if seconds < 3600 {
		return fmt.Sprintf("%d m %02d s", seconds/60, seconds%60)
	}
	minutes := (seconds + 30) / 60
	return fmt.Sprintf("%s h %02d m", Count(minutes/60), minutes%60)
}

// tenth writes n/unit with one decimal, rounded half up.
func tenth(n, unit int64) string {
	tenths := (n*10 + unit/2) / unit
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

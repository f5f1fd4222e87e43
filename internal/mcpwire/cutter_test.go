package mcpwire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// pieces cuts text at random places.
func pieces(text string) (list [][]byte) {
	for len(text) > 0 {
		n := 1 + rand.IntN(min(len(text), 1+rand.IntN(20)))
		list = append(list, []byte(text[:n]))
		text = text[n:]
	}
	return list
}

func linesOf(chunks [][]byte) (got []string) {
	var c LineCutter
	take := func(f Frame) {
		if f.Size != int64(len(f.Data)) || f.IsCut() {
			got = append(got, "wrong size")
		}
		got = append(got, string(f.Data))
	}
	for _, chunk := range chunks {
		c.Write(chunk, take)
	}
	c.Close(take)
	return got
}

func TestLineCutter(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n\n \r\n", nil},
		{"{}\n", []string{"{}"}},
		{"{}\r\n[1]\n\nnoise", []string{"{}\r", "[1]", "noise"}},
		{"{\"a\":\n1}\n", []string{`{"a":`, "1}"}},
	} {
		for range 20 {
			if got := linesOf(pieces(tt.in)); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) {
				t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
			}
		}
	}
}

func TestBodyCutter(t *testing.T) {
	for in, want := range map[string]string{"": "", " \r\n": "", "{\n \"a\": 1\n}\n": "{\n \"a\": 1\n}\n"} {
		var c BodyCutter
		for _, chunk := range pieces(in) {
			c.Write(chunk)
		}
		got := ""
		c.Close(func(f Frame) { got += string(f.Data) })
		c.Close(func(f Frame) { got += "twice" })
		if got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestIndexEither(t *testing.T) {
	alphabet := []byte(`"\\` + strings.Repeat("x", 600))
	for range 2000 {
		text := make([]byte, rand.IntN(3*eitherWindow))
		for i := range text {
			text[i] = alphabet[rand.IntN(len(alphabet))]
		}
		if got, want := indexEither(text, '"', '\\'), bytes.IndexAny(text, `"\`); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	}
}

func eventsOf(chunks [][]byte) (got []string, resumable bool) {
	var c EventCutter
	for _, chunk := range chunks {
		c.Write(chunk, func(e StreamEvent) { got = append(got, fmt.Sprintf("%s|%s|%s", e.Name, e.ID, e.Data.Data)) })
	}
	return got, c.Resumable()
}

func TestEventCutter(t *testing.T) {
	for _, tt := range []struct {
		name      string
		in        string
		want      []string
		resumable bool
	}{
		{"one", "event: message\nid: 7\ndata: {}\n\n", []string{"message|7|{}"}, true},
		{"CRLF", "event: message\r\ndata: {}\r\n\r\ndata:{}\r\n\r\n", []string{"message||{}", "||{}"}, false},
		{"CR", "data: a\r\rdata: b\r\r", []string{"||a", "||b"}, false},
		{"data over several lines", "data: {\ndata:  \"a\": 1\ndata: }\n\n", []string{"||{\n \"a\": 1\n}"}, false},
		{"empty data lines", "data: a\ndata\ndata:\ndata: b\n\n", []string{"||a\n\n\nb"}, false},
		{"a comment", ": ping\n\n:data: no\ndata: a\n\n", []string{"||a"}, false},
		{"a byte order mark", "\xef\xbb\xbfdata: a\n\n", []string{"||a"}, false},
		{"a byte order mark later", "data: a\n\n\xef\xbb\xbfdata: b\n\n", []string{"||a"}, false},
		{"an id alone", "id: 1\nretry: 3000\n\ndata: a\n\n", []string{"||a"}, true},
		{"an id with a NUL", "id: a\x00b\ndata: a\n\n", []string{"||a"}, false},
		{"no name is like data", "database: x\nDATA: y\n data: z\ndat\ndata: a\n\n", []string{"||a"}, false},
		{"data in a name", "event: data:x\ndata: a\n\n", []string{"data:x||a"}, false},
		{"blank data", "data:\n\ndata: \n\n", nil, false},
		{"half an event", "data: a\n\ndata: b\n", []string{"||a"}, false},
		{"one space only", "data:  a \n\n", []string{"|| a "}, false},
		{"the name of one is not that of the next", "event: x\n\ndata: a\n\n", []string{"||a"}, false},
	} {
		for range 50 {
			got, resumable := eventsOf(pieces(tt.in))
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) || resumable != tt.resumable {
				t.Errorf("%s: %q, want %q; resumable %v", tt.name, got, tt.want, resumable)
				break
			}
		}
	}
}

// huge is a value of more than MaxFrame bytes, with traps for who counts braces.
func huge() string { return `"` + strings.Repeat(`x}\"]{`, MaxFrame/5) + `"` }

// TestFrameOverLimit: of a frame that is too long its skeleton is left, whatever
// carries it.
func TestFrameOverLimit(t *testing.T) {
	big := huge()
	for i, tt := range []struct {
		name, frame, want string
		value             int
	}{
		{
			"a call", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"text":` + big + `}}}`,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":%d}}`, len(big)+9),
			len(big) + 9 + len(`{"name":"add","arguments":}`),
		},
		{
			"an answer, its id last", `{"result": {"content":[{"type":"text","text":` + big + `}], "isError": true}, "jsonrpc":"2.0", "id":"a"}`,
			fmt.Sprintf(`{"result":{"content":%d,"isError":true},"jsonrpc":"2.0","id":"a"}`, len(big)+25),
			len(big) + 25 + len(`{"content":, "isError": true}`),
		},
		{
			"a batch", `[{"id":1,"result":{"content":[` + big + `]}},{"id":2,"method":"x"}]`,
			fmt.Sprintf(`[{"id":1,"result":{"content":%d}},{"id":2,"method":"x"}]`, len(big)+2),
			len(big) + 2 + len(`{"content":}`),
		},
		{"no JSON", strings.Repeat("]", MaxFrame) + "[[[{" + big, "?", 0},
	} {
		check := func(how string, f Frame) {
			if !f.IsCut() || f.Size != int64(len(tt.frame)) || string(f.Data) != tt.want || f.value != int64(tt.value) {
				t.Errorf("%s, %s: size %d of %d, value %d of %d\n got %.300s\nwant %s", tt.name, how, f.Size, len(tt.frame), f.value, tt.value, f.Data, tt.want)
			}
		}
		var lines LineCutter
		n := 0
		count := func(f Frame) { n++; check("line", f) }
		lines.Write([]byte(tt.frame+"\n"), count)
		if i > 0 { // one will do to see that it is the same in each cutter
			continue
		}
		for part := []byte(tt.frame + "\n"); len(part) > 0; {
			size := min(len(part), 1+rand.IntN(1<<20))
			lines.Write(part[:size], count)
			part = part[size:]
		}
		lines.Write([]byte("{}\n"), func(f Frame) {
			if string(f.Data) != "{}" || f.IsCut() {
				t.Errorf("the frame after a long one: %.100s", f.Data)
			}
		})
		var events EventCutter
		events.Write([]byte("data: "+tt.frame+"\n\n"), func(e StreamEvent) { n++; check("event", e.Data) })
		var body BodyCutter
		body.Write([]byte(tt.frame))
		body.Close(func(f Frame) { n++; check("body", f) })
		if n != 4 {
			t.Errorf("%s: %d frames", tt.name, n)
		}
		if cap(lines.buffer.data) > keepRoom {
			t.Errorf("%s: %d bytes of room are kept", tt.name, cap(lines.buffer.data))
		}
	}
}

// TestSkeletonIsJSON: cutting a text within it leaves JSON.
func TestSkeletonIsJSON(t *testing.T) {
	for _, unit := range []string{"a", `\"`, `\\`, `\u00e9`, "é", `\ud83d\ude00`} {
		for n := range 12 {
			var s skimmer
			s.write([]byte(`{"id":1,"error":{"message":"` + strings.Repeat("x", n) + strings.Repeat(unit, 2*maxText) + `"}}`))
			text, _ := s.skeleton()
			if !json.Valid(text) || len(text) > 2*maxText || !bytes.Contains(text, []byte("xxx")) && n > 3 {
				t.Errorf("%q after %d: %s", unit, n, text)
			}
		}
	}
}

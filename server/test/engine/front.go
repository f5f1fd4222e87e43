package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ClickHouse/ch-go/compress"
)

// front answers ClickHouse's HTTP protocol.
type front struct {
	room    chan struct{} // as many as there are sessions
	mu      sync.Mutex
	idle    []*session
	version string
}

// session is a connection with the database and the settings of the request before,
// which most often are those of the next one, too.
type session struct {
	*connection
	database string
	settings map[string]string
}

// open opens n connections, which is how many statements run at once.
func open(path string, n int) (*front, error) {
	f := &front{room: make(chan struct{}, n)}
	for range n {
		c, err := connect(path)
		if err != nil {
			return nil, err
		}
		f.idle = append(f.idle, &session{connection: c})
	}
	version, err := f.idle[0].query("SELECT version()", "TSVRaw", nil)
	f.version = strings.TrimSpace(string(version))
	return f, err
}

// take takes an idle session, one that is as wanted if there is one.
func (f *front) take(database string, settings map[string]string) *session {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := max(0, slices.IndexFunc(f.idle, func(s *session) bool { return s.database == database && maps.Equal(s.settings, settings) }))
	s := f.idle[at]
	f.idle = slices.Delete(f.idle, at, at+1)
	return s
}

func (f *front) give(s *session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = append(f.idle, s)
}

// hello is how the driver begins a connection. It reads the answer as of the newest
// version of the protocol that it speaks, and all that follows as of the version that
// the answer tells. The library writes blocks as of version 0.
const hello = "SELECT displayName(), version(), revision(), timezone()"

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	form := r.URL.Query()
	statement, body := form.Get("query"), io.Reader(r.Body)
	if form.Get("decompress") == "1" {
		body = compress.NewReader(body)
	}
	if statement == "" {
		text, err := io.ReadAll(body)
		if err != nil {
			fail(w, err)
			return
		}
		statement, body = string(text), nil
	}
	var out []byte
	var err error
	if strings.TrimSpace(statement) == hello {
		out = f.greeting(form.Get("client_protocol_version"))
	} else {
		select {
		case f.room <- struct{}{}:
			out, err = f.run(statement, body, form)
			<-f.room
		case <-r.Context().Done():
			return
		}
	}
	if err == nil && form.Get("compress") == "1" {
		out, err = pack(out)
	}
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.Write(out) //nolint:errcheck // the driver is gone
}

// own are parameters of a request that are no settings.
var own = []string{
	"query", "database", "user", "password", "default_format", "client_protocol_version", "query_id", "quota_key", "compress", "decompress",
	"network_compression_method", "network_zstd_compression_level", "session_id",
}

var insertForm = regexp.MustCompile(`(?is)^(\s*INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*;?\s*$`)

// run runs a request's statement, in its database and with its settings.
func (f *front) run(statement string, body io.Reader, form map[string][]string) (out []byte, err error) {
	params, settings, database := map[string]string{}, map[string]string{}, "default"
	for name, values := range form {
		if param, ok := strings.CutPrefix(name, "param_"); ok {
			params[param] = values[0]
		} else if !slices.Contains(own, name) {
			settings[name] = values[0]
		}
	}
	if d := form["database"]; len(d) > 0 && d[0] != "" {
		database = d[0]
	}
	c := f.take(database, settings)
	defer f.give(c)
	if err := c.become(database, settings); err != nil {
		return nil, err
	}
	if m := insertForm.FindStringSubmatch(statement); m != nil && body != nil {
		chunk, ended := make([]byte, 1<<20), false
		return nil, c.insert(m[1], m[2], func() ([]byte, error) {
			if ended { // a reader of compressed data says so only once
				return nil, nil
			}
			n, err := io.ReadFull(body, chunk)
			if ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); ended {
				err = nil
			}
			return chunk[:n], err
		})
	}
	return c.query(statement, "Native", params)
}

// become brings the session to the database and the settings.
func (s *session) become(database string, settings map[string]string) error {
	if s.database != database {
		s.database = ""
		if _, err := s.query("USE `"+strings.ReplaceAll(database, "`", "\\`")+"`", "Null", nil); err != nil {
			return err
		}
		s.database = database
	}
	var set []string
	for name := range s.settings {
		if _, stays := settings[name]; !stays {
			set = append(set, name+" = DEFAULT")
		}
	}
	for name, value := range settings {
		if was, ok := s.settings[name]; !ok || was != value {
			set = append(set, name+" = "+quoted(value))
		}
	}
	if len(set) == 0 {
		return nil
	}
	if s.settings == nil {
		s.settings = map[string]string{}
	}
	maps.Copy(s.settings, settings) // also if it fails midway: all of them are set back then
	if _, err := s.query("SET "+strings.Join(set, ", "), "Null", nil); err != nil {
		return err
	}
	s.settings = settings
	return nil
}

func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

var code = regexp.MustCompile(`Code: (\d+)\.`)

// fail answers with an error as ClickHouse does.
func fail(w http.ResponseWriter, err error) {
	text := err.Error()
	m := code.FindStringSubmatch(text)
	if m == nil {
		m = []string{"", "1002"}
		text = "Code: 1002. DB::Exception: " + text
	}
	w.Header().Set("X-ClickHouse-Exception-Code", m[1])
	w.WriteHeader(http.StatusInternalServerError)
	fmt.Fprintln(w, text)
}

// pack compresses a result as ClickHouse does for compress=1.
func pack(data []byte) ([]byte, error) {
	const most = 1 << 20
	var out bytes.Buffer
	writer := compress.NewWriter(compress.LevelZero, compress.LZ4)
	for chunk := range slices.Chunk(data, most) {
		if err := writer.Compress(chunk); err != nil {
			return nil, err
		}
		out.Write(writer.Data)
	}
	return out.Bytes(), nil
}

// greeting is the answer to hello: one block, as of the version of the protocol that
// the driver asked for.
func (f *front) greeting(version string) []byte {
	v, _ := strconv.Atoi(version)
	var b bytes.Buffer
	number := func(n uint64) { b.Write(binary.AppendUvarint(nil, n)) }
	text := func(s string) { number(uint64(len(s))); b.WriteString(s) }
	if v > 0 { // the block's own fields: no overflow, no bucket
		b.Write([]byte{1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0})
	}
	number(4) // columns
	number(1) // rows
	column := func(name, kind string, value func()) {
		text(name)
		text(kind)
		if v >= 54454 {
			b.WriteByte(0) // no serialization of its own
		}
		value()
	}
	column("displayName()", "String", func() { text("engine") })
	column("version()", "String", func() { text(f.version) })
	column("revision()", "UInt32", func() { b.Write(make([]byte, 4)) })
	column("timezone()", "String", func() { text("UTC") })
	return b.Bytes()
}

package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/umpire-mcp/umpire/server/internal/fault"
)

const (
	// maxLine is the longest line that is read, in bytes: more than any door takes.
	maxLine = 32 << 20
	// maxDocument is how large a file may be that is one JSON value and no lines.
	maxDocument = 256 << 20
)

// item is one line of a file, or one element of a file that is a list.
type item struct {
	line int   // its number, from 1
	end  int64 // where the next one begins
	text []byte
	long bool // longer than maxLine; text is nil
}

// source reads the items of a file.
type source struct {
	file *os.File
	size int64 // of the file
	read counter
	in   *bufio.Reader
	list []json.RawMessage // of a file that is no lines; else nil

	line   int
	offset int64 // of the next item: bytes behind any compression, or places in list
}

// counter counts the bytes that were read of the file.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// open opens a file, plain or gzip.
func open(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open %q: %w", path, err)
	}
	info, err := file.Stat()
	if err != nil || info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("cannot read %q: it is no file", path)
	}
	s := &source{file: file, size: info.Size()}
	s.read.r = file
	s.in = bufio.NewReaderSize(&s.read, 256<<10)
	if magic, _ := s.in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(s.in)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("cannot decompress %q: %w", path, err)
		}
		s.in = bufio.NewReaderSize(z, 256<<10)
	}
	if mark, _ := s.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = s.in.Discard(3)
	}
	return s, nil
}

func (s *source) close() { s.file.Close() }

// whole reads a file that is one JSON value and no lines, and keeps its elements: of a
// list, of {"results":[…]}, or the value itself. Of a file of lines it reads nothing.
func (s *source) whole() error {
	start, _ := s.in.Peek(s.in.Size())
	first, rest, _ := bytes.Cut(bytes.TrimLeft(start, " \t\r\n"), []byte("\n"))
	first = bytes.TrimSpace(first)
	spread := len(first) == 1 && (first[0] == '{' || first[0] == '[') // set over several lines
	list := len(first) > 1 && first[0] == '[' && len(bytes.TrimSpace(rest)) == 0
	if !spread && !list {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(s.in, maxDocument+1))
	if err != nil {
		return fmt.Errorf("cannot read the file: %w", err)
	}
	if len(text) > maxDocument {
		return fault.New(fault.TooLarge, fmt.Sprintf("the file is one JSON value of more than %d MiB", maxDocument>>20), "write it as one event a line")
	}
	s.list = []json.RawMessage{}
	if json.Unmarshal(text, &s.list) == nil {
		return nil
	}
	var page struct {
		Results []json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		return fault.Wrap(err, fault.BadRequest, "the file is neither lines of JSON nor one value that is complete", "docs/import.md shows what is read")
	}
	if s.list = page.Results; s.list == nil {
		s.list = []json.RawMessage{text}
	}
	return nil
}

// skip goes to where an earlier import stopped.
func (s *source) skip(offset int64, line int) error {
	if s.list == nil {
		if _, err := io.CopyN(io.Discard, s.in, offset); err != nil {
			return fmt.Errorf("cannot go on at byte %d: %w", offset, err)
		}
	}
	s.offset, s.line = offset, line
	return nil
}

// next returns the next item that is not blank; io.EOF at the end.
func (s *source) next() (item, error) {
	if s.list != nil {
		if s.offset >= int64(len(s.list)) {
			return item{}, io.EOF
		}
		s.offset++
		s.line = int(s.offset)
		return item{line: s.line, end: s.offset, text: s.list[s.offset-1]}, nil
	}
	for {
		text, long, err := s.readLine()
		if err != nil && !errors.Is(err, io.EOF) {
			return item{}, fmt.Errorf("cannot read line %d: %w", s.line+1, err)
		}
		if len(text) == 0 && !long && errors.Is(err, io.EOF) {
			return item{}, io.EOF
		}
		s.line++
		if text = bytes.TrimSpace(text); len(text) > 0 || long {
			return item{line: s.line, end: s.offset, text: text, long: long}, nil
		}
	}
}

// readLine reads up to the next newline. What is too long is skipped.
func (s *source) readLine() (line []byte, long bool, err error) {
	for {
		part, err := s.in.ReadSlice('\n')
		s.offset += int64(len(part))
		if len(line)+len(part) > maxLine {
			line, long = nil, true
		}
		if !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

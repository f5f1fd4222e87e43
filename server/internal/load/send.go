package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

const (
	// requestLimit is when an answer is given up: long enough for a server that
	// replays its log or waits for a slow disk.
	requestLimit = 30 * time.Second
	// longestWait bounds what Retry-After asks for: this sender does not mind being
	// refused, and a drill has other things to do.
	longestWait = 200 * time.Millisecond
)

// send posts batches over one connection until there are no more.
func (r *run) send() error {
	c := &connection{address: r.cfg.Address, keys: r.cfg.Keys}
	defer c.close()
	var old []*batch
	for b := range r.batches {
		began := time.Now()
		answer, err := r.until(c, b)
		if err != nil {
			return err
		}
		if answer.Accepted+answer.Duplicates != b.n {
			return fmt.Errorf("of %d events %d were acknowledged: %+v", b.n, answer.Accepted+answer.Duplicates, answer)
		}
		r.mu.Lock()
		r.latency = append(r.latency, time.Since(began))
		r.mu.Unlock()
		r.events.Add(int64(b.n))
		r.sent.Add(1)
		if r.cfg.Ledger != nil {
			r.cfg.Ledger.add(b.project, b.events)
			b.events = nil
		}
		if old, err = r.repeat(c, b, old); err != nil {
			return err
		}
		if r.cfg.Again == 0 && !r.cfg.Prepare {
			r.spare.Put(&b.body)
		}
	}
	return nil
}

// repeat sends some batch again that was acknowledged: b, or one of long ago.
func (r *run) repeat(c *connection, b *batch, old []*batch) ([]*batch, error) {
	if r.cfg.Again == 0 {
		return nil, nil
	}
	const keep = 100
	if len(old) < keep {
		old = append(old, b)
	} else {
		old[rand.IntN(keep)] = b
	}
	if rand.Float64() >= r.cfg.Again {
		return old, nil
	}
	if rand.IntN(2) == 0 {
		b = old[rand.IntN(len(old))]
	}
	answer, err := r.until(c, b)
	if err != nil {
		return old, err
	}
	r.again.Add(1)
	r.doubled.Add(int64(b.n - answer.Duplicates))
	return old, nil
}

// until posts a batch until it is answered well.
func (r *run) until(c *connection, b *batch) (receipt, error) {
	for {
		answer, status, err := c.post(b)
		if r.cfg.Answered != nil {
			r.cfg.Answered(status, err)
		}
		switch {
		case err != nil:
			c.close()
			r.failed.Add(1)
			time.Sleep(time.Duration(5+rand.IntN(50)) * time.Millisecond)
		case status == http.StatusOK:
			return answer, nil
		case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
			r.refused.Add(1)
			time.Sleep(longestWait/4 + rand.N(longestWait*3/4))
		default:
			return answer, fmt.Errorf("the server answered %d: %s", status, c.body)
		}
	}
}

// receipt is the door's answer.
type receipt struct{ Accepted, Duplicates int }

var dialer = net.Dialer{Timeout: 2 * time.Second}

// connection speaks HTTP/1.1 and spends as little on it as it can: net/http costs
// the sender more than a server costs that takes a single event.
type connection struct {
	address string
	keys    []string
	conn    net.Conn
	in      *bufio.Reader
	head    []byte
	body    []byte
}

func (c *connection) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

func (c *connection) post(b *batch) (out receipt, status int, err error) {
	if c.conn == nil {
		if c.conn, err = dialer.DialContext(context.Background(), "tcp", c.address); err != nil {
			c.conn = nil
			return out, 0, fmt.Errorf("cannot reach the server: %w", err)
		}
		c.in = bufio.NewReader(c.conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(requestLimit)); err != nil {
		return out, 0, fmt.Errorf("cannot set a deadline: %w", err)
	}
	c.head = fmt.Appendf(c.head[:0], "POST /api/v1/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n",
		c.address, c.keys[b.project], len(b.body))
	buffers := net.Buffers{c.head, b.body}
	if _, err := buffers.WriteTo(c.conn); err != nil {
		return out, 0, fmt.Errorf("cannot send: %w", err)
	}
	if status, err = c.answer(); err != nil {
		return out, 0, fmt.Errorf("cannot read the answer: %w", err)
	}
	if status == http.StatusOK {
		if err := json.Unmarshal(c.body, &out); err != nil {
			return out, 0, fmt.Errorf("cannot read the receipt: %w", err)
		}
	}
	return out, status, nil
}

// answer reads one answer; its body has a length, as those of a door do.
func (c *connection) answer() (status int, err error) {
	length, last := -1, false
	for n := 0; ; n++ {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case n == 0:
			fields := bytes.Fields(line)
			if len(fields) < 2 {
				return 0, errors.New("this is no HTTP")
			}
			if status, err = strconv.Atoi(string(fields[1])); err != nil {
				return 0, err
			}
		case len(line) == 0:
			if length < 0 {
				return 0, errors.New("the answer has no length")
			}
			if cap(c.body) < length {
				c.body = make([]byte, length)
			}
			c.body = c.body[:length]
			_, err := io.ReadFull(c.in, c.body)
			if last {
				c.close()
			}
			return status, err
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Connection")):
			last = bytes.EqualFold(value, []byte("close"))
		}
	}
}

package duckdb

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// stage brings batches into a generation. To hand a text to DuckDB costs more than
// all else, and most texts are the same again and again: so each group of texts (see
// column.said) is handed over once, under a number, and the table of the generation's
// events holds the numbers. A view puts them together.
type stage struct {
	seeds [2]maphash.Seed
	seen  [groups + 1]map[saidTexts]int32 // in the generation
	next  [groups + 1]int32               // numbers, none of which comes again
	empty int32                           // the number of no contents at all; -1: not said
	key   []byte                          // scratch
	row   []driver.Value
}

// saidTexts are the texts of a group, as two hashes that are not known outside.
type saidTexts [2]uint64

// mostSaid is how many texts of a group are remembered; then all are said again.
const mostSaid = 1 << 16

// texts are the columns of each group; texts[own] are those that each event hands over.
var texts = func() (of [groups + 1][]int) {
	for i, c := range columns {
		of[c.said] = append(of[c.said], i)
	}
	return of
}()

func newStage() *stage {
	s := &stage{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	s.begin()
	return s
}

// begin forgets what was said: of another generation, or in a batch that failed.
func (s *stage) begin() {
	for g := range s.seen {
		s.seen[g] = map[saidTexts]int32{}
	}
	s.empty = -1
}

// baseTable is the table of a generation's events with the numbers of their texts,
// saidTable that of the texts of a group.
func baseTable(generation int64) string { return fmt.Sprintf("base_%d", generation) }

func saidTable(g said, generation int64) string { return fmt.Sprintf("said_%d_%d", g, generation) }

// hotShape are the statements that make the tables of a generation and the view of
// them, which is shaped like events.
func hotShape(generation int64) []string {
	var create []string
	base := names(texts[own]) + ", 0::UBIGINT AS seq"
	for g := peers; g <= groups; g++ {
		base += fmt.Sprintf(", 0::INTEGER AS t%d", g)
		create = append(create, "CREATE TABLE memory.main."+saidTable(g, generation)+" AS SELECT 0::INTEGER AS n, "+names(texts[g])+" FROM cold.main.events LIMIT 0")
	}
	return append(create,
		"CREATE TABLE memory.main."+baseTable(generation)+" AS SELECT "+base+" FROM cold.main.events LIMIT 0",
		"CREATE VIEW "+hotTable(generation)+" AS "+together(generation, groups))
}

// together are a generation's events with their texts of the groups up to last.
func together(generation int64, last said) string {
	var into []string
	for _, c := range columns {
		switch {
		case c.said == own:
			into = append(into, fmt.Sprintf("s.%q", c.name))
		case c.said <= last:
			into = append(into, fmt.Sprintf("t%d.%q", c.said, c.name))
		}
	}
	from := "memory.main." + baseTable(generation) + " s"
	for g := peers; g <= last; g++ {
		from += fmt.Sprintf(" JOIN memory.main.%s t%d ON t%d.n = s.t%d", saidTable(g, generation), g, g, g)
	}
	return "SELECT " + strings.Join(into, ", ") + " FROM " + from
}

// dropHot are the statements that take back hotShape's.
func dropHot(generation int64) []string {
	drop := []string{"DROP VIEW " + hotTable(generation), "DROP TABLE memory.main." + baseTable(generation)}
	for g := peers; g <= groups; g++ {
		drop = append(drop, "DROP TABLE memory.main."+saidTable(g, generation))
	}
	return drop
}

func names(of []int) string {
	all := make([]string, len(of))
	for i, c := range of {
		all[i] = fmt.Sprintf("%q", columns[c].name)
	}
	return strings.Join(all, ", ")
}

// put adds the batch, with the marks that were decided, to the generation.
func (s *stage) put(conn *sql.Conn, generation int64, batch []*store.Entry, decided []marks) error {
	return conn.Raw(func(c any) error { return s.fill(c.(driver.Conn), generation, batch, decided) })
}

// value is the event's value of a column, with the marks that were decided.
func value(c int, e *store.Entry, decided marks) driver.Value {
	switch c {
	case retryColumn:
		return decided.retry
	case retryColumn + 1:
		return decided.reworded
	case retryColumn + 2:
		return decided.repeated
	}
	return columns[c].value(e)
}

// retryColumn is the first of the columns of marks.
var retryColumn = slices.IndexFunc(columns, func(c column) bool { return c.name == "is_retry" })

func (s *stage) fill(conn driver.Conn, generation int64, batch []*store.Entry, decided []marks) (err error) {
	var into [groups + 1]*duck.Appender
	defer func() {
		for _, a := range into {
			if a == nil {
				continue
			}
			if e := a.Close(); err == nil && e != nil {
				err = fmt.Errorf("cannot store a batch: %w", e)
			}
		}
	}()
	to := func(g said, table string) (*duck.Appender, error) {
		if into[g] == nil {
			a, err := duck.NewAppender(conn, "memory", "main", table)
			if err != nil {
				return nil, fmt.Errorf("cannot append to %q: %w", table, err)
			}
			into[g] = a
		}
		return into[g], nil
	}
	numbers := len(texts[own]) + 1
	row := make([]driver.Value, numbers+int(groups))
	for i, e := range batch {
		for n, c := range texts[own] {
			row[n] = value(c, e, decided[i])
		}
		row[numbers-1] = e.Seq
		for g := peers; g <= groups; g++ {
			n, known := s.number(g, e)
			if !known {
				a, err := to(g, saidTable(g, generation))
				if err == nil {
					err = s.say(a, g, n, e)
				}
				if err != nil {
					return fmt.Errorf("cannot store event %s: %w", e.Event.ID, err)
				}
			}
			row[numbers+int(g-peers)] = n
		}
		a, err := to(own, baseTable(generation))
		if err == nil {
			err = a.AppendRow(row...)
		}
		if err != nil {
			return fmt.Errorf("cannot store event %s: %w", e.Event.ID, err)
		}
	}
	return nil
}

// number is that of the event's texts of the group; if it is not known, they are to be
// said.
func (s *stage) number(g said, e *store.Entry) (n int32, known bool) {
	if g == contents { // they hardly ever come again, but for none
		none := !slices.ContainsFunc(texts[g], func(c int) bool { return columns[c].has(e) })
		if none && s.empty >= 0 {
			return s.empty, true
		}
		n = s.take(g)
		if none {
			s.empty = n
		}
		return n, false
	}
	s.key = s.key[:0]
	for _, c := range texts[g] {
		s.key = columns[c].key(s.key, e)
	}
	key := saidTexts{maphash.Bytes(s.seeds[0], s.key), maphash.Bytes(s.seeds[1], s.key)}
	if n, known = s.seen[g][key]; known {
		return n, true
	}
	if len(s.seen[g]) >= mostSaid {
		clear(s.seen[g])
	}
	n = s.take(g)
	s.seen[g][key] = n
	return n, false
}

func (s *stage) take(g said) int32 {
	s.next[g]++
	return s.next[g] - 1
}

func (s *stage) say(into *duck.Appender, g said, n int32, e *store.Entry) error {
	s.row = append(s.row[:0], n)
	for _, c := range texts[g] {
		s.row = append(s.row, columns[c].value(e))
	}
	return into.AppendRow(s.row...)
}

// appendKey appends a text so that no two rows of texts become the same bytes.
func appendKey(key []byte, text string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(text))), text...)
}

package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var columns = []Column{{"tool", Text}, {"calls", Integer}, {"rate", Number}, {"empty", Flag}, {"at", Time}, {"params", JSON}}

var moment = time.Date(2026, 3, 1, 12, 30, 0, 123456789, time.FixedZone("x", 3600))

func rowsOf(rows ...[]any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func write(t testing.TB, f Format, columns []Column, rows ...[]any) string {
	t.Helper()
	var b bytes.Buffer
	n, err := Write(&b, f, columns, rowsOf(rows...))
	if err != nil || n != int64(len(rows)) {
		t.Fatalf("%s: %d rows, %v", f, n, err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	full := []any{`find "it" <b>`, 7, 0.5, true, moment, json.RawMessage(`{"a": [1]}`)}
	none := make([]any, 6)
	odd := []any{"a,b\nc", uint32(0), math.NaN(), false, time.Unix(0, 0), "no JSON"}
	for _, tt := range []struct {
		format Format
		want   string
	}{
		{CSV, "tool,calls,rate,empty,at,params\n" +
			`"find ""it"" <b>",7,0.5,true,2026-03-01T11:30:00.123456Z,"{""a"": [1]}"` + "\n" +
			",,,,,\n" +
			"\"a,b\nc\",0,NaN,false,1970-01-01T00:00:00.000000Z,no JSON\n"},
		{NDJSON, `{"tool":"find \"it\" <b>","calls":7,"rate":0.5,"empty":true,"at":"2026-03-01T11:30:00.123456Z","params":{"a":[1]}}` + "\n" +
			`{"tool":null,"calls":null,"rate":null,"empty":null,"at":null,"params":null}` + "\n" +
			`{"tool":"a,b\nc","calls":0,"rate":null,"empty":false,"at":"1970-01-01T00:00:00.000000Z","params":"no JSON"}` + "\n"},
	} {
		if d := cmp.Diff(tt.want, write(t, tt.format, columns, full, none, odd)); d != "" {
			t.Errorf("%s: %s", tt.format, d)
		}
	}
}

func TestNoFormulas(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "\rx": "'\rx", "\n=x": "'\n=x",
		"": "", "a=b": "a=b", " =x": " =x", "'": "'",
	} {
		got, err := csv.NewReader(strings.NewReader(write(t, CSV, columns[:2], []any{in, -3}))).ReadAll()
		// The reader of CSV reads \r\n as \n; there is none here.
		if err != nil || len(got) != 2 || got[1][0] != want || got[1][1] != "-3" {
			t.Errorf("%q became %q, %v; want %q, and -3 for a number", in, got, err, want)
		}
	}
}

// readParquet reads a table as rows of the values that NDJSON has.
func readParquet(t testing.TB, data string) (names []string, rows []map[string]any, groups int) {
	t.Helper()
	r, err := file.NewParquetReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	in, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := in.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	for _, f := range table.Schema().Fields() {
		names = append(names, f.Name)
	}
	batches := array.NewTableReader(table, 0)
	defer batches.Release()
	for batches.Next() {
		text, err := batches.RecordBatch().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var part []map[string]any
		if err := json.Unmarshal(text, &part); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, part...)
	}
	return names, rows, r.NumRowGroups()
}

func TestParquet(t *testing.T) {
	names, rows, _ := readParquet(t, write(t, Parquet, columns, []any{"=find", 7, 0.5, true, moment, `{"a": [1]}`}, make([]any, 6)))
	if d := cmp.Diff([]string{"tool", "calls", "rate", "empty", "at", "params"}, names); d != "" {
		t.Error(d)
	}
	want := []map[string]any{
		{"tool": "=find", "calls": 7.0, "rate": 0.5, "empty": true, "at": "2026-03-01T11:30:00.123456Z", "params": `{"a": [1]}`},
		{"tool": nil, "calls": nil, "rate": nil, "empty": nil, "at": nil, "params": nil},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	if _, rows, _ := readParquet(t, write(t, Parquet, columns)); len(rows) != 0 {
		t.Errorf("an empty table has %d rows", len(rows))
	}
}

// TestParquetInGroups: a table that is larger than what is held in memory.
func TestParquetInGroups(t *testing.T) {
	const n = 2*groupRows + 3
	var b bytes.Buffer
	row := []any{int64(0)}
	_, err := Write(&b, Parquet, []Column{{"n", Integer}}, func(yield func([]any, error) bool) {
		for i := range int64(n) {
			row[0] = i // the same slice again
			if !yield(row, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, rows, groups := readParquet(t, b.String())
	if len(rows) != n || rows[0]["n"] != 0.0 || rows[n-1]["n"] != float64(n-1) || groups != 3 {
		t.Errorf("%d rows in %d groups", len(rows), groups)
	}
}

// TestFormatsAgree: NDJSON and Parquet hold every text as it is.
func TestFormatsAgree(t *testing.T) {
	row := rapid.Custom(func(r *rapid.T) []any {
		return []any{rapid.String().Draw(r, "text"), rapid.Int32().Draw(r, "number"), rapid.Bool().Draw(r, "flag")}
	})
	var rows [][]any
	for seed := range 300 { // one table: what makes a file ready takes longer than its rows
		rows = append(rows, row.Example(seed))
	}
	cols := []Column{{"text", Text}, {"number", Integer}, {"flag", Flag}}
	_, parquet, _ := readParquet(t, write(t, Parquet, cols, rows...))
	dec := json.NewDecoder(strings.NewReader(write(t, NDJSON, cols, rows...)))
	var lines []map[string]any
	for dec.More() {
		var m map[string]any
		if err := dec.Decode(&m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	if d := cmp.Diff(lines, parquet); d != "" || len(lines) != len(rows) {
		t.Error(d)
	}
}

func TestRefused(t *testing.T) {
	for name, row := range map[string][]any{"too short": {"x"}, "a number for text": {1, 1, 1.0, true, moment, ""}, "text for a number": {"", "x", 1.0, true, moment, ""}} {
		for _, f := range []Format{CSV, NDJSON, Parquet} {
			if _, err := Write(io.Discard, f, columns, rowsOf(row)); err == nil {
				t.Errorf("%s took a row that is %s", f, name)
			}
		}
	}
	broken := errors.New("the store is away")
	_, err := Write(io.Discard, CSV, columns, func(yield func([]any, error) bool) { yield(nil, broken) })
	if !errors.Is(err, broken) {
		t.Errorf("an error of the rows: %v", err)
	}
	if _, err := ParseFormat("xlsx"); err == nil {
		t.Error("xlsx is a format")
	}
}

// TestParquetEncodings: values that come again are in a dictionary, others are not, and
// all are read as they were; the rest of the file does not follow the first rows.
func TestParquetEncodings(t *testing.T) {
	columns := []Column{{"id", Text}, {"body", Text}, {"tool", Text}, {"at", Time}, {"bytes", Integer}, {"status", Integer}}
	var rows [][]any
	var want []map[string]any
	add := func(cells ...any) {
		rows = append(rows, cells)
		one := map[string]any{}
		for i, c := range columns {
			one[c.Name] = cells[i]
		}
		one["at"] = cells[3].(time.Time).UTC().Truncate(time.Microsecond).Format("2006-01-02T15:04:05.999999Z07:00")
		one["bytes"] = float64(cells[4].(int64))
		if one["status"] != nil {
			one["status"] = float64(cells[5].(int64))
		}
		want = append(want, one)
	}
	const first = 3000
	for i := range int64(first + 7) {
		if i < first {
			add(fmt.Sprintf("0198a3c5-%08x", i*7919), strings.Repeat(string(rune('a'+i%26)), int(i%3))+fmt.Sprint(i*i), "a tool", moment.Add(time.Duration(i*i)*time.Millisecond), i*i-1000, nil)
		} else {
			add("", "", fmt.Sprint("tool ", i), moment, int64(7), i)
		}
	}
	var out strings.Builder
	w, err := newParquet(&out, columns)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if i == first {
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := out.String()
	_, got, groups := readParquet(t, data)
	if d := cmp.Diff(want, got); d != "" || groups != 2 {
		t.Errorf("in %d groups: %s", groups, d)
	}
	r, err := file.NewParquetReader(strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for i, encoding := range []parquet.Encoding{parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.RLEDict, parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.RLEDict} {
		chunk, err := r.MetaData().RowGroup(0).ColumnChunk(i)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(chunk.Encodings(), encoding) {
			t.Errorf("%s is encoded as %v, not %v", columns[i].Name, chunk.Encodings(), encoding)
		}
		stats, err := chunk.StatsSet()
		if want := columns[i].Type != Text; err != nil || stats != want {
			t.Errorf("%s has its least and greatest: %v, %v, want %v", columns[i].Name, stats, err, want)
		}
	}
}

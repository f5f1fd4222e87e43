package export

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
)

// How a column of Parquet is encoded follows from the first rows. A dictionary is best
// where values come again; where each is another, as ids, hashes, bodies and times are,
// it would cost an index beside each value. All encodings are of Parquet's version 2,
// which DuckDB, ClickHouse and pandas read.

const (
	// sampled is how many values are looked at.
	sampled = 4096
	// sharedPrefix is how many bytes two values have in common, in the mean, from where
	// on only what differs is written.
	sharedPrefix = 4
)

// encoded are the options for a column that begins with these values. Least and
// greatest are only told where a reader can leave out a row group for it: of bodies and
// ids they would be a good part of a small file.
func encoded(c Column, values arrow.Array) []parquet.WriterProperty {
	var all []parquet.WriterProperty
	if c.Type == Time || c.Type == Integer {
		all = append(all, parquet.WithStatsFor(c.Name, true))
	}
	how := parquet.Encodings.DeltaBinaryPacked
	var many bool
	switch values := values.(type) {
	case *array.Int64:
		many = mostlyNew(values.Len(), values.IsNull, values.Value)
	case *array.Timestamp:
		many = mostlyNew(values.Len(), values.IsNull, values.Value)
	case *array.String:
		many = mostlyNew(values.Len(), func(i int) bool { return values.IsNull(i) || values.Value(i) == "" }, values.Value)
		how = parquet.Encodings.DeltaLengthByteArray
		if shared(values) >= sharedPrefix {
			how = parquet.Encodings.DeltaByteArray
		}
	}
	if many {
		all = append(all, parquet.WithDictionaryFor(c.Name, false), parquet.WithEncodingFor(c.Name, how))
	}
	return all
}

// mostlyNew reports whether most of the values, but for the absent ones, were not there
// before.
func mostlyNew[V comparable](n int, absent func(int) bool, value func(int) V) bool {
	seen, there := map[V]struct{}{}, 0
	for i := 0; i < n && there < sampled; i++ {
		if !absent(i) {
			seen[value(i)] = struct{}{}
			there++
		}
	}
	return 2*len(seen) > there
}

// shared is how many bytes a text begins with that the one before began with, too, in
// the mean.
func shared(values *array.String) int {
	n, sum := min(values.Len(), sampled), 0
	for i := 1; i < n; i++ {
		a, b := values.Value(i-1), values.Value(i)
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		sum += same
	}
	return sum / max(n-1, 1)
}

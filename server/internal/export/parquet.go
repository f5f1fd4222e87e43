package export

import (
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

const (
	// groupRows and groupBytes bound a row group, which is held in memory.
	groupRows  = 122_880
	groupBytes = 64 << 20
	// level of zstd: 6 % smaller than the usual 3, at a little more time.
	level = 9
)

type parquetWriter struct {
	columns []Column
	out     *pqarrow.FileWriter
	rows    *array.RecordBuilder
	n       int
	bytes   int
}

func newParquet(w io.Writer, columns []Column) (*parquetWriter, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowType(c.Type), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	props := parquet.NewWriterProperties(
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(level),
		parquet.WithMaxRowGroupLength(groupRows), parquet.WithCreatedBy("umpire"),
	)
	// What closes the file would close w as well.
	out, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{w}, props, pqarrow.NewArrowWriterProperties())
	if err != nil {
		return nil, fmt.Errorf("cannot write Parquet: %w", err)
	}
	return &parquetWriter{columns: columns, out: out, rows: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

func arrowType(t Type) arrow.DataType {
	switch t {
	case Integer:
		return arrow.PrimitiveTypes.Int64
	case Number:
		return arrow.PrimitiveTypes.Float64
	case Flag:
		return arrow.FixedWidthTypes.Boolean
	case Time:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	default:
		return arrow.BinaryTypes.String
	}
}

// Write implements Writer.
func (p *parquetWriter) Write(row []any) error {
	err := each(p.columns, row, func(i int, v any) error {
		field := p.rows.Field(i)
		switch v := v.(type) {
		case string:
			field.(*array.StringBuilder).Append(v)
			p.bytes += len(v)
		case int64:
			field.(*array.Int64Builder).Append(v)
		case float64:
			field.(*array.Float64Builder).Append(v)
		case bool:
			field.(*array.BooleanBuilder).Append(v)
		case time.Time:
			field.(*array.TimestampBuilder).Append(arrow.Timestamp(v.UnixMicro()))
		default:
			field.AppendNull()
		}
		p.bytes += 8
		return nil
	})
	if err != nil {
		return err
	}
	if p.n++; p.n >= groupRows || p.bytes >= groupBytes {
		return p.flush()
	}
	return nil
}

// flush writes what is held as a row group.
func (p *parquetWriter) flush() error {
	record := p.rows.NewRecordBatch()
	defer record.Release()
	p.n, p.bytes = 0, 0
	if err := p.out.Write(record); err != nil {
		return fmt.Errorf("cannot write Parquet: %w", err)
	}
	return nil
}

// Close implements Writer.
func (p *parquetWriter) Close() error {
	defer p.rows.Release()
	if p.n > 0 {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if err := p.out.Close(); err != nil {
		return fmt.Errorf("cannot write Parquet: %w", err)
	}
	return nil
}

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
	// level of zstd, the last that the library tells from others: bodies are a tenth
	// smaller than at the usual 3.
	level = 11
)

type parquetWriter struct {
	columns []Column
	into    io.Writer
	schema  *arrow.Schema
	out     *pqarrow.FileWriter // nil until the first rows say how columns are best encoded
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
	// What closes the file would close w as well.
	return &parquetWriter{columns: columns, into: struct{ io.Writer }{w}, schema: schema, rows: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// begin writes the head of the file. First are its first rows.
func (p *parquetWriter) begin(first arrow.RecordBatch) (err error) {
	options := []parquet.WriterProperty{
		parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCompressionLevel(level),
		parquet.WithMaxRowGroupLength(groupRows), parquet.WithCreatedBy("umpire"),
		parquet.WithStats(false),
	}
	for i, c := range p.columns {
		options = append(options, encoded(c, first.Column(i))...)
	}
	p.out, err = pqarrow.NewFileWriter(p.schema, p.into, parquet.NewWriterProperties(options...), pqarrow.NewArrowWriterProperties())
	if err != nil {
		return fmt.Errorf("cannot write Parquet: %w", err)
	}
	return nil
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
	if p.out == nil {
		if err := p.begin(record); err != nil {
			return err
		}
	}
	if err := p.out.Write(record); err != nil {
		return fmt.Errorf("cannot write Parquet: %w", err)
	}
	return nil
}

// Close implements Writer.
func (p *parquetWriter) Close() error {
	defer p.rows.Release()
	if p.n > 0 || p.out == nil {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if err := p.out.Close(); err != nil {
		return fmt.Errorf("cannot write Parquet: %w", err)
	}
	return nil
}

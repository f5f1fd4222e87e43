package main

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The functions of libchdb that are used, under the names of chdb.h. A length follows
// each text, so that texts may hold any byte.
var (
	chdbSetSignalHandlersEnabled func(enabled int32)
	chdbConnect                  func(argc int32, argv unsafe.Pointer) *connection
	chdbQuery                    func(conn unsafe.Pointer, query *byte, queryLen uintptr, format *byte, formatLen uintptr, names unsafe.Pointer, nameLens unsafe.Pointer, values unsafe.Pointer, valueLens unsafe.Pointer, n uintptr) unsafe.Pointer
	chdbResultBuffer             func(result unsafe.Pointer) unsafe.Pointer
	chdbResultLength             func(result unsafe.Pointer) uintptr
	chdbResultError              func(result unsafe.Pointer) string
	chdbDestroyQueryResult       func(result unsafe.Pointer)
	chdbStreamInsert             func(conn unsafe.Pointer, query *byte, queryLen uintptr, format *byte, formatLen uintptr) unsafe.Pointer
	chdbStreamInsertError        func(stream unsafe.Pointer) string
	chdbStreamAppend             func(stream unsafe.Pointer, data *byte, n uintptr) int32
	chdbStreamDone               func(stream unsafe.Pointer) unsafe.Pointer
	chdbStreamCancelInsert       func(stream unsafe.Pointer)
	chdbDestroyInsertStream      func(stream unsafe.Pointer)
)

// load loads the library at the path.
func load(path string) error {
	lib, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return fmt.Errorf("cannot load the engine %q: %w", path, err)
	}
	for name, fn := range map[string]any{
		"chdb_set_signal_handlers_enabled": &chdbSetSignalHandlersEnabled,
		"chdb_connect":                     &chdbConnect,
		"chdb_query_with_params_n":         &chdbQuery,
		"chdb_result_buffer":               &chdbResultBuffer,
		"chdb_result_length":               &chdbResultLength,
		"chdb_result_error":                &chdbResultError,
		"chdb_destroy_query_result":        &chdbDestroyQueryResult,
		"chdb_stream_insert_n":             &chdbStreamInsert,
		"chdb_stream_insert_error":         &chdbStreamInsertError,
		"chdb_stream_append":               &chdbStreamAppend,
		"chdb_stream_done":                 &chdbStreamDone,
		"chdb_stream_cancel_insert":        &chdbStreamCancelInsert,
		"chdb_destroy_insert_stream":       &chdbDestroyInsertStream,
	} {
		purego.RegisterLibFunc(fn, lib, name)
	}
	chdbSetSignalHandlersEnabled(0) // they are Go's
	return nil
}

// connection is what chdb_connect's result points to. A connection runs one statement
// at a time.
type connection struct{ handle unsafe.Pointer }

// connect opens a connection to the data at the path. All connections of a process
// have the same path.
func connect(path string) (*connection, error) {
	args := [][]byte{[]byte("clickhouse\x00"), []byte("--path=" + path + "\x00")}
	argv := make([]*byte, len(args))
	var pins runtime.Pinner
	defer pins.Unpin()
	for i := range args {
		argv[i] = &args[i][0]
		pins.Pin(argv[i])
	}
	c := chdbConnect(int32(len(argv)), unsafe.Pointer(&argv[0]))
	if c == nil || c.handle == nil {
		return nil, fmt.Errorf("cannot open the engine's data %q", path)
	}
	return c, nil
}

// query runs a statement with the parameters' values and returns its whole result.
func (c *connection) query(statement, format string, params map[string]string) ([]byte, error) {
	var names, values texts
	for name, value := range params {
		names.add(name)
		values.add(value)
	}
	defer names.pins.Unpin()
	defer values.pins.Unpin()
	text, form := []byte(statement), []byte(format)
	result := chdbQuery(c.handle, first(text), uintptr(len(text)), first(form), uintptr(len(form)),
		names.at(), names.lengthsAt(), values.at(), values.lengthsAt(), uintptr(len(params)))
	runtime.KeepAlive(text)
	return take(result)
}

// insert runs an INSERT with the data that next yields, until it yields none.
func (c *connection) insert(statement, format string, next func() ([]byte, error)) error {
	text, form := []byte(statement), []byte(format)
	stream := chdbStreamInsert(c.handle, first(text), uintptr(len(text)), first(form), uintptr(len(form)))
	defer chdbDestroyInsertStream(stream)
	for failed := chdbStreamInsertError(stream); failed == ""; failed = chdbStreamInsertError(stream) {
		data, err := next()
		if err != nil {
			chdbStreamCancelInsert(stream)
			return err
		}
		if len(data) == 0 {
			_, err := take(chdbStreamDone(stream))
			return err
		}
		chdbStreamAppend(stream, &data[0], uintptr(len(data)))
		runtime.KeepAlive(data)
	}
	return errors.New(chdbStreamInsertError(stream))
}

// take copies a result out and destroys it.
func take(result unsafe.Pointer) ([]byte, error) {
	defer chdbDestroyQueryResult(result)
	if text := chdbResultError(result); text != "" {
		return nil, errors.New(text)
	}
	n := chdbResultLength(result)
	if n == 0 {
		return nil, nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(chdbResultBuffer(result)), n)...), nil
}

// texts is an array of pointers to texts and one of their lengths, as C wants them.
type texts struct {
	pointers []*byte
	lengths  []uintptr
	pins     runtime.Pinner
}

func (t *texts) add(s string) {
	b := []byte(s + "\x00")
	t.pins.Pin(&b[0])
	t.pointers, t.lengths = append(t.pointers, &b[0]), append(t.lengths, uintptr(len(s)))
}

func (t *texts) at() unsafe.Pointer {
	if len(t.pointers) == 0 {
		return nil
	}
	return unsafe.Pointer(&t.pointers[0])
}

func (t *texts) lengthsAt() unsafe.Pointer {
	if len(t.lengths) == 0 {
		return nil
	}
	return unsafe.Pointer(&t.lengths[0])
}

func first(b []byte) *byte {
	if len(b) == 0 {
		return new(byte)
	}
	return &b[0]
}

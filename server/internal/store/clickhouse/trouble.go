package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/umpire-mcp/umpire/server/internal/store"
)

// ofTheData are the codes by which ClickHouse refuses a value: it cannot be parsed,
// converted or held. Every other refusal is its own trouble: memory, disk, too many
// parts, rights, a limit of time.
var ofTheData = []int32{6, 26, 27, 38, 41, 53, 69, 70, 72, 117, 131, 376, 407}

// unavailable marks an error that no event is to blame for.
func unavailable(err error) error {
	var exception *driver.Exception
	var network net.Error
	switch {
	case errors.As(err, &exception):
		if slices.Contains(ofTheData, exception.Code) {
			return err
		}
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
	default:
		return err
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

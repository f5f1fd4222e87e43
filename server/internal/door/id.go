package door

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/umpire-mcp/umpire"
)

// namespace is that of ids which are made of other vendors' ids. It is part of the
// data: it never changes.
var namespace = uuid.MustParse("5e6a8f0d-3d1c-4a5e-9a57-0f5a3f2f6c1b")

// ID is the id of an event that its vendor calls id: that itself if it is a UUID,
// but for those that Umpire's own observers agree on (version 8), else a UUID of
// version 5 of vendor, project and id.
func ID(vendor string, project uint32, id string) umpire.ID {
	var own umpire.ID
	if own.UnmarshalText([]byte(id)) == nil && own[6]>>4 != 8 {
		return own
	}
	return umpire.ID(uuid.NewSHA1(namespace, []byte(vendor+"\x00"+strconv.FormatUint(uint64(project), 10)+"\x00"+id)))
}

// ContentID is the id of an event that has none: that of its content, which the
// vendor must send the same when it sends it again.
func ContentID(vendor string, project uint32, content []byte) umpire.ID {
	return ID(vendor, project, "content\x00"+string(content))
}

package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/klauspost/compress/s2"
)

// The layout of spec/wal.md, version 1. All integers are little-endian.
const (
	version = 1

	segmentMagic      = "UMPIREWL"
	segmentHeaderSize = 32
	// groupMagic holds bytes that no JSON text can hold (0xF5, 0x00), so that no
	// body can pass for the start of a group while a damaged file is searched.
	groupMagic      = "\xf5UG\x00"
	groupHeaderSize = 36
	itemHeaderSize  = 24

	flagS2     = 1
	knownFlags = flagS2

	// maxGroup bounds the decoded bytes of one group, and so what a reader allocates.
	maxGroup = 16 << 20
	// groupTarget is where the writer closes a group and begins the next.
	groupTarget = 4 << 20
)

// MaxBody is the largest body that Append takes, in bytes.
const MaxBody = 8 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Item is one record. Its time is kept to the microsecond.
type Item struct {
	Project    uint32
	ReceivedAt time.Time
	Body       []byte
}

// size is what the item takes in a group, before compression.
func (it Item) size() int64 { return itemHeaderSize + int64(len(it.Body)) }

func segmentHeader(first uint64) []byte {
	b := make([]byte, segmentHeaderSize)
	copy(b, segmentMagic)
	binary.LittleEndian.PutUint16(b[8:], version)
	binary.LittleEndian.PutUint64(b[16:], first)
	binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b
}

var errDamaged = errors.New("the checksum does not match")

// parseSegmentHeader returns the first sequence number of the segment. The
// error is errDamaged, or an ErrVersion when the header is whole and newer.
func parseSegmentHeader(b []byte) (first uint64, err error) {
	if len(b) < segmentHeaderSize || string(b[:8]) != segmentMagic ||
		binary.LittleEndian.Uint32(b[28:]) != crc32.Checksum(b[:28], castagnoli) {
		return 0, errDamaged
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v > version {
		return 0, newerVersion(int(v))
	}
	return binary.LittleEndian.Uint64(b[16:]), nil
}

func newerVersion(v int) error {
	return fmt.Errorf("%w: it has version %d and this program reads version %d; start the newer Umpire, or move the log away and lose what it holds", ErrVersion, v, version)
}

// appendGroup appends one group that holds the items, the first of them under
// the sequence number first. raw and packed are scratch space, returned grown.
func appendGroup(dst, raw, packed []byte, first uint64, items []Item) (out, rawOut, packedOut []byte) {
	raw = raw[:0]
	for i, it := range items {
		raw = binary.LittleEndian.AppendUint64(raw, first+uint64(i))
		raw = binary.LittleEndian.AppendUint32(raw, it.Project)
		raw = binary.LittleEndian.AppendUint64(raw, uint64(it.ReceivedAt.UnixMicro()))
		raw = binary.LittleEndian.AppendUint32(raw, uint32(len(it.Body)))
		raw = append(raw, it.Body...)
	}
	if n := s2.MaxEncodedLen(len(raw)); cap(packed) < n {
		packed = make([]byte, n)
	}
	payload, flags := s2.Encode(packed[:cap(packed)], raw), byte(flagS2)
	if len(payload) >= len(raw) {
		payload, flags = raw, 0
	}
	start := len(dst)
	dst = append(dst, groupMagic...)
	dst = append(dst, version, flags, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(raw)))
	dst = binary.LittleEndian.AppendUint64(dst, first)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(items)))
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	crc := crc32.Update(crc32.Checksum(dst[start:], castagnoli), castagnoli, payload)
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	return append(dst, payload...), raw, packed
}

// group is a parsed group header.
type group struct {
	version, flags byte
	payload        int
	raw            int
	first          uint64
	count          int
}

func (g group) end() uint64 { return g.first + uint64(g.count) }

// parseGroupHeader reads a header and refuses what no writer of any version
// writes. That the bytes are right is known only after checkGroup.
func parseGroupHeader(b []byte) (g group, ok bool) {
	if len(b) < groupHeaderSize || string(b[:4]) != groupMagic {
		return g, false
	}
	g = group{
		version: b[4], flags: b[5],
		payload: int(binary.LittleEndian.Uint32(b[8:])),
		raw:     int(binary.LittleEndian.Uint32(b[12:])),
		first:   binary.LittleEndian.Uint64(b[16:]),
		count:   int(binary.LittleEndian.Uint32(b[24:])),
	}
	ok = g.version > 0 && g.payload <= g.raw && g.raw <= maxGroup && g.first > 0 &&
		g.count > 0 && g.count <= g.raw/itemHeaderSize && g.end() > g.first
	return g, ok
}

// checkGroup verifies the checksum of a whole group: header and payload.
func checkGroup(b []byte) bool {
	crc := crc32.Update(crc32.Checksum(b[:groupHeaderSize-4], castagnoli), castagnoli, b[groupHeaderSize:])
	return binary.LittleEndian.Uint32(b[groupHeaderSize-4:]) == crc
}

// unpack returns the decoded payload of a checked group; scratch is reused. The
// reason says why it cannot be decoded.
func (g group) unpack(payload, scratch []byte) (raw []byte, reason string) {
	if g.flags&flagS2 == 0 {
		if len(payload) != g.raw {
			return nil, "the lengths of a group disagree"
		}
		return payload, ""
	}
	if n, err := s2.DecodedLen(payload); err != nil || n != g.raw {
		return nil, "the compressed length of a group disagrees"
	}
	if cap(scratch) < g.raw {
		scratch = make([]byte, g.raw)
	}
	raw, err := s2.Decode(scratch[:g.raw], payload)
	if err != nil {
		return nil, err.Error()
	}
	return raw, ""
}

// items calls yield with each item of the decoded payload. The bodies are
// copies: they outlive the buffer.
func (g group) items(raw []byte, yield func(seq uint64, it Item) error) error {
	for i := range g.count {
		if len(raw) < itemHeaderSize {
			return errors.New("the items are cut")
		}
		seq := binary.LittleEndian.Uint64(raw)
		n := binary.LittleEndian.Uint32(raw[20:])
		if seq != g.first+uint64(i) || int64(n) > int64(len(raw)-itemHeaderSize) {
			return errors.New("the items disagree with their group")
		}
		it := Item{
			Project:    binary.LittleEndian.Uint32(raw[8:]),
			ReceivedAt: time.UnixMicro(int64(binary.LittleEndian.Uint64(raw[12:]))).UTC(),
			Body:       append([]byte(nil), raw[itemHeaderSize:itemHeaderSize+int(n)]...),
		}
		raw = raw[itemHeaderSize+int(n):]
		if err := yield(seq, it); err != nil {
			return err
		}
	}
	if len(raw) != 0 {
		return errors.New("bytes are left behind the items")
	}
	return nil
}

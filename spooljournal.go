package umpire

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// The journal is what survives the process: one file beside the spool's, into
// which Record writes each event, and Begin each open call, before it returns.
// The file is mapped into memory where that can be done, so a write is a copy;
// the operating system keeps it however the process ends. It is no protection
// against the end of the machine, and is never synced.
//
// What Record is given is not yet redacted and holds arguments. It is therefore
// sealed (AES-GCM) under a key that is derived from the write key, which the
// next client has and the file has not. The seal is the checksum, too.
//
// The file is a head and blocks of one size. A block holds either records of
// events, in the order of their recording, or slots of open calls. An event's
// record is void once the event is settled: the head says up to where. A block
// of void records is used again.
//
//	head:   "umpjrnl1", 16 bytes of salt, mark (8), counts of drops (8 each)
//	block:  role (8), era (8), records or slots
//	record: size of the sealed text (4), marks of a slot (4), era of its block (8), nonce (8), sealed text
//
// A mark is the era of a block and an offset in it. Eras count up with each use
// of a block, so a record whose era is not its block's is a leftover. All
// numbers are little-endian.
const (
	journalSuffix = ".journal"
	journalMagic  = "umpjrnl1"

	headBytes  = 4096
	saltAt     = 8
	markAt     = 24
	dropsAt    = 32
	blockBytes = 64 << 10
	blockHead  = 16
	recordHead = 24
	slotBytes  = 1 << 10

	roleEvents = 1
	roleSlots  = 2

	// journalMost bounds the file; the spool's own bound makes it smaller.
	journalMost = 16 << 20
	// maxSlots bounds the open calls that are noted at a time.
	maxSlots = 1024
)

// dropReasons is the order of the counts in the head: append only.
var dropReasons = [...]string{
	dropQueueFull, dropClosed, dropUnauthorized, dropRefused, dropTooLarge, dropUnencodable, dropSpoolFull, dropLost,
	dropSpoolDamaged,
}

// mark is a place in the journal, in the order of time; 0 is before all.
type mark uint64

func markOf(era uint64, at int) mark { return mark(era<<20 | uint64(at)) }

func (m mark) era() uint64 { return uint64(m) >> 20 }
func (m mark) at() int     { return int(m & (1<<20 - 1)) }

// journal is the file of one client. The events in it are guarded by the
// client's lock, the slots and the blocks by its own. A nil journal takes
// nothing.
type journal struct {
	path   string
	file   *os.File // locked, as the spool's files are
	plane  plane
	seal   cipher.AEAD
	nonces atomic.Uint64
	broken atomic.Bool // a write failed: nothing more is written

	// Under the client's lock.
	eras  uint64
	used  []extent // blocks of events that are not void, oldest first; the last is being filled
	at    int      // where in it
	told  mark     // the mark in the head
	drops [len(dropReasons)]uint64

	mu     sync.Mutex
	limit  int    // blocks
	blocks int    // blocks that the file has
	free   []int  // of them, the ones without a role
	slots  []int  // free slots, by offset; the last one freed is the next one used
	state  []slot // of the slots, by offset / slotBytes
	turn   uint32 // counts the uses of slots
	made   int    // slots there are
	open   int    // slots in use
	left   bool   // the client is closed: the last call to end lets go of the file
	keep   bool   // which then stays, for the next client
}

// errNoJournal leaves the spool as it is.
var errNoJournal = errors.New("too little room, or no AES-GCM")

type extent struct {
	block int
	era   uint64
}

// openJournal makes the journal of a client in the directory of its spool.
// bound is for the file, in bytes.
func openJournal(dir, key string, bound int64) (*journal, error) {
	limit := int((min(bound, journalMost) - headBytes) / blockBytes)
	if limit < 4 {
		return nil, errNoJournal
	}
	f, err := createIn(dir, journalSuffix)
	if err != nil {
		return nil, err
	}
	id := NewID()
	j := &journal{path: f.Name(), file: f, limit: limit}
	if j.seal, err = journalSeal(key, id[:]); err == nil {
		head := make([]byte, headBytes)
		copy(head, journalMagic)
		copy(head[saltAt:], id[:])
		_, err = f.WriteAt(head, 0)
	}
	if err != nil {
		err = errNoJournal
	} else {
		j.plane = newPlane(f, headBytes+limit*blockBytes)
		if !j.nextBlock() {
			err = errNoJournal // the disk is full, which may pass
		}
	}
	if err != nil {
		j.plane.close()
		remove(f)
		return nil, err
	}
	return j, nil
}

// journalSeal returns the seal of one journal.
func journalSeal(key string, salt []byte) (cipher.AEAD, error) {
	sum := sha256.Sum256(append([]byte("umpire journal\x00"+key+"\x00"), salt...))
	block, err := aes.NewCipher(sum[:16])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// scratch is room for one record.
type scratch struct {
	nonce [12]byte
	buf   []byte
}

var scratches = sync.Pool{New: func() any { return &scratch{buf: make([]byte, 0, 1024)} }}

// maxScratch keeps one large event from holding its room for ever.
const maxScratch = 64 << 10

func (s *scratch) done() {
	if cap(s.buf) <= maxScratch {
		scratches.Put(s)
	}
}

// record makes the record of e, complete but for the era of its block.
func (j *journal) record(e *Event, brief bool) *scratch {
	s := scratches.Get().(*scratch)
	s.buf = appendEvent(append(s.buf[:0], make([]byte, recordHead)...), e, brief)
	s.buf = slices.Grow(s.buf, j.seal.Overhead()) // so that it is sealed in its place
	nonce := j.nonces.Add(1)
	binary.LittleEndian.PutUint64(s.nonce[:8], nonce)
	plain := s.buf[recordHead:]
	s.buf = s.buf[:recordHead+len(j.seal.Seal(plain[:0], s.nonce[:], plain, nil))]
	binary.LittleEndian.PutUint64(s.buf, uint64(len(s.buf)-recordHead))
	binary.LittleEndian.PutUint64(s.buf[16:], nonce)
	return s
}

// recordOf makes the record of an event that is about to be queued, without the
// values it carries if they do not fit a block.
func (j *journal) recordOf(e *Event) *scratch {
	s := j.record(e, false)
	if len(s.buf) > blockBytes-blockHead {
		light := *e
		light.Input, light.Output, light.Texts, light.Structured, light.Arguments = nil, nil, nil, nil, nil
		s.done()
		s = j.record(&light, false)
	}
	return s
}

// add writes the record of an event, and returns the mark behind it. The
// client's lock is held.
func (j *journal) add(s *scratch) mark {
	n := (len(s.buf) + 7) &^ 7
	if n > blockBytes-blockHead || j.broken.Load() {
		return j.now()
	}
	if j.at+n > blockBytes && !j.nextBlock() {
		return j.now()
	}
	last := j.used[len(j.used)-1]
	binary.LittleEndian.PutUint64(s.buf[8:], last.era)
	j.put(headBytes+last.block*blockBytes+j.at, s.buf)
	j.at += n
	return markOf(last.era, j.at)
}

// now is the mark behind everything.
func (j *journal) now() mark { return markOf(j.used[len(j.used)-1].era, j.at) }

// nextBlock begins another block of events; it reports whether there is room.
func (j *journal) nextBlock() bool {
	j.mu.Lock()
	block, ok := j.allocate()
	j.mu.Unlock()
	if !ok {
		return false
	}
	j.begin(block)
	return !j.broken.Load()
}

func (j *journal) begin(block int) {
	j.eras++
	j.used = append(j.used, extent{block, j.eras})
	j.at = blockHead
	j.putRole(block, roleEvents, j.eras)
}

func (j *journal) putRole(block int, role, era uint64) {
	var b [blockHead]byte
	binary.LittleEndian.PutUint64(b[:], role)
	binary.LittleEndian.PutUint64(b[8:], era)
	j.put(headBytes+block*blockBytes, b[:])
}

// zeros are written before a block is used, so that its place on disk is taken
// when a copy into it can no longer fail.
var zeros [blockBytes]byte

// allocate finds a block without a role. The journal's lock is held.
func (j *journal) allocate() (block int, ok bool) {
	if n := len(j.free); n > 0 {
		block, j.free = j.free[n-1], j.free[:n-1]
		return block, true
	}
	if j.blocks == j.limit || j.broken.Load() {
		return 0, false
	}
	if _, err := j.file.WriteAt(zeros[:], int64(headBytes+j.blocks*blockBytes)); err != nil {
		j.limit = j.blocks // the disk is full: what there is stays usable
		return 0, false
	}
	j.blocks++
	return j.blocks - 1, true
}

// settle makes void whatever lies before m. The client's lock is held.
func (j *journal) settle(m mark) {
	if j == nil || m <= j.told {
		return
	}
	j.told = m
	if m == j.now() { // nothing is left: start the block over, whose pages are warm
		last := j.used[len(j.used)-1]
		j.release(j.used[:len(j.used)-1])
		j.used = j.used[:0]
		j.begin(last.block)
		j.told = j.now()
	} else {
		n := 0
		for j.used[n].era < m.era() {
			n++
		}
		j.release(j.used[:n])
		j.used = append(j.used[:0], j.used[n:]...)
	}
	j.putNumber(markAt, uint64(j.told))
}

func (j *journal) release(list []extent) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range list {
		j.free = append(j.free, e.block)
	}
}

// fills reports whether part/of of the journal is in use. The client's lock is
// held.
func (j *journal) fills(part, of int) bool { return j != nil && len(j.used)*of > j.limit*part }

// noteDrops writes the drops that no server knows of, for the next client to
// tell should this one not live to. The client's lock is held.
func (j *journal) noteDrops(drops map[string]int) {
	if j == nil {
		return
	}
	for _, reason := range dropReasons {
		j.noteDrop(reason, drops[reason])
	}
}

func (j *journal) noteDrop(reason string, n int) {
	if j == nil {
		return
	}
	if i := slices.Index(dropReasons[:], reason); i >= 0 && j.drops[i] != uint64(n) {
		j.drops[i] = uint64(n)
		j.putNumber(dropsAt+8*i, uint64(n))
	}
}

func (j *journal) putNumber(at int, n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	j.put(at, b[:])
}

func (j *journal) put(at int, b []byte) {
	if !j.broken.Load() && !j.plane.put(at, b) {
		j.broken.Store(true)
	}
}

// close ends the journal, which is removed unless something is in it that the
// next client must know: an open call, drops, or events that waited. While calls are open the file
// stays locked until the last of them or the process ends. The client's lock is
// held.
func (j *journal) close() {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.drops {
		j.keep = j.keep || n > 0
	}
	switch {
	case j.left:
	case j.open > 0:
		j.left = true
	default:
		j.leave(j.keep)
	}
}

// stay makes close keep the file.
func (j *journal) stay() {
	j.mu.Lock()
	j.keep = true
	j.mu.Unlock()
}

// leave lets go of the file for good. The journal's lock is held.
func (j *journal) leave(keep bool) {
	j.left = true
	j.broken.Store(true)
	j.plane.close()
	if keep {
		_ = j.file.Close()
		return
	}
	remove(j.file)
	_ = os.Remove(filepath.Dir(j.path)) // succeeds when it is empty
}

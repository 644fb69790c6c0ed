package activity

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/narthex-platform/narthex/services/store"
)

// Verdict is the result of a check of the whole chain.
type Verdict struct {
	Count int64  // rows that the head counts
	Hash  string // of the head, in hexadecimal
	// Broken is the number of the first row whose hash does not match the previous row; 0: none. If it is the
	// number after the last row, rows are missing at the end, or the head was changed.
	Broken int64
}

// Verify computes the chain again from its first row. It detects careless changes. A person who can rewrite
// all hashes is detected only by comparing count and hash with values that were recorded elsewhere. Verify
// reads every row in one snapshot, a million in a few seconds, and takes no locks.
func Verify(ctx context.Context, s *Store) (Verdict, error) {
	c := check{hash: make([]byte, sha256.Size)}
	head, err := s.walk(ctx, c.add)
	if err != nil {
		return Verdict{}, store.Unavailable(err)
	}
	if c.broken == 0 && (head.Count != c.number || !bytes.Equal(head.Hash, c.hash)) {
		c.broken = c.number + 1
	}
	return Verdict{Count: head.Count, Hash: hex.EncodeToString(head.Hash), Broken: c.broken}, nil
}

// check is the state of the computation.
type check struct {
	number int64
	hash   []byte
	broken int64
}

// add compares one row with the rows before it.
func (c *check) add(number int64, at time.Time, entry string, hash []byte) {
	if c.broken != 0 {
		return
	}
	c.number++
	text := binary.BigEndian.AppendUint64(bytes.Clone(c.hash), uint64(c.number))
	text = binary.BigEndian.AppendUint64(text, uint64(at.UnixMicro()))
	sum := sha256.Sum256(append(text, entry...))
	if c.hash = sum[:]; number != c.number || !bytes.Equal(hash, c.hash) {
		c.broken = c.number
	}
}

package realtime

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
)

// signer signs what the processes of one installation send to each other, so that who may merely use the
// server can neither speak to readers nor repeat what was said. A signed message is
//
//	body | number 8, big-endian | HMAC-SHA256 32
//
// The HMAC is over the installation, the subject, body (which names its sender) and number. A number is the
// sender's clock in microseconds and rises from message to message; one that is not above the sender's
// last, that is older than this process, or that is more than validity away from the clock here is refused.
// So a process need remember a sender no longer than that.
type signer struct {
	keys         environment.Keys
	installation string
	began        int64

	mu   sync.Mutex
	last int64            // number given out
	seen map[peerID]int64 // last number by sender
}

const (
	// validity bounds how far the clocks of processes may differ, and how long a message may be under way.
	validity = 30 * time.Second
	// Beyond maxSenders, senders that have been silent are forgotten.
	maxSenders = 1_024
)

func newSigner(keys environment.Keys, installation string) *signer {
	return &signer{keys: keys, installation: installation, began: time.Now().UnixMicro(),
		seen: make(map[peerID]int64)}
}

// sign appends the next number and the HMAC to body.
func (s *signer) sign(subject string, body []byte) []byte {
	s.mu.Lock()
	s.last = max(s.last+1, time.Now().UnixMicro())
	number := s.last
	s.mu.Unlock()
	body = binary.BigEndian.AppendUint64(body, uint64(number))
	return append(body, s.hmac(s.keys.Current, subject, body)...)
}

// hmac is over the parts, each ended so that none can pass for the beginning of the next: neither a subject
// nor an installation's name holds a zero byte.
func (s *signer) hmac(key []byte, subject string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(s.installation + "\x00" + subject + "\x00"))
	h.Write(body)
	return h.Sum(nil)
}

// verify returns the body and the number of a message whose HMAC was made with the current or the previous
// key.
func (s *signer) verify(subject string, message []byte) (body []byte, number int64, ok bool) {
	end := len(message) - sha256.Size
	if end < 8 {
		return nil, 0, false
	}
	signed, sum := message[:end], message[end:]
	ok = hmac.Equal(sum, s.hmac(s.keys.Current, subject, signed)) ||
		s.keys.Previous != nil && hmac.Equal(sum, s.hmac(s.keys.Previous, subject, signed))
	return signed[:end-8], int64(binary.BigEndian.Uint64(signed[end-8:])), ok
}

// fresh tells whether the number of a message was not used before, and whether the clocks agree well enough
// to tell.
func (s *signer) fresh(sender peerID, number int64) (fresh, timely bool) {
	now := time.Now()
	oldest, newest := now.Add(-validity).UnixMicro(), now.Add(validity).UnixMicro()
	if number <= oldest || number >= newest {
		return false, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last, known := s.seen[sender]
	if known && number <= last || number < s.began {
		return false, true
	}
	s.seen[sender] = number
	if !known && len(s.seen) > maxSenders {
		for other, last := range s.seen {
			if last <= oldest {
				delete(s.seen, other)
			}
		}
	}
	return true, true
}

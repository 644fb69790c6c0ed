package backplane

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// signer signs the messages between the processes of one installation. So somebody who can merely use the
// server can neither send messages to readers nor repeat earlier messages. A signed message is
//
//	body | number 8, big-endian | HMAC-SHA256 32
//
// The HMAC covers the installation, the subject, body (which contains its sender) and number. A number is the
// sender's clock in microseconds and increases from message to message. A message is refused if its number is
// not above the sender's last one, is older than this process, or differs from the clock here by more than
// validity. Therefore a process has to store a sender's last number no longer than that.
type signer struct {
	keys         setting.Keys
	installation string
	began        int64

	mu   sync.Mutex
	last int64            // last number that was used
	seen map[PeerID]int64 // last number received, by sender
}

const (
	// validity bounds the difference between the processes' clocks plus the duration of a message's transport.
	validity = 30 * time.Second
	// With more than maxSenders, senders that are silent are removed.
	maxSenders = 1_024
)

func newSigner(keys setting.Keys, installation string) *signer {
	return &signer{keys: keys, installation: installation, began: time.Now().UnixMicro(),
		seen: make(map[PeerID]int64)}
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

// hmac covers the parts, each terminated by a zero byte so that no part can be taken for the beginning of the
// next. Neither a subject nor an installation's name contains a zero byte.
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

// fresh reports whether a message's number was not used before, and whether it is near enough to the clock
// here to decide that.
func (s *signer) fresh(sender PeerID, number int64) (fresh, timely bool) {
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

package realtime

import (
	"crypto/tls"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
)

// DeadLink is one that nobody serves.
func DeadLink() *Link { return NewLink(LinkConfig{Log: zap.NewNop()}) }

// Receive is an update of another process, Counted how far that one is.
func (h *Hub) Receive(origin byte, count uint64, data []byte) {
	h.deliver(peerMessage{kind: kindUpdate, origin: peerID{origin}, count: count, data: data})
}

func (h *Hub) Counted(origin byte, count uint64) {
	h.inbox.put(fromPeer{peerMessage: peerMessage{kind: kindCount, origin: peerID{origin}, count: count}})
}

// Trust makes a link accept a test's certificate.
func (l *Link) Trust(config *tls.Config) { l.roots = config }

// ReadPeerMessage reads what came over the backplane; data is nil unless it is an update.
func ReadPeerMessage(b []byte) (data []byte, ok bool) {
	p, ok := readPeerMessage(b)
	return p.data, ok
}

// Seal signs and opens messages of one sender.
type Signer struct{ *signer }

func NewSigner(keys environment.Keys, installation string) Signer {
	return Signer{newSigner(keys, installation)}
}

func (s Signer) Sign(subject string, body []byte) []byte { return s.sign(subject, body) }

// Accepts tells whether a message is opened, is timely and was not repeated.
func (s Signer) Accepts(subject string, message []byte) bool {
	_, number, ok := s.verify(subject, message)
	if !ok {
		return false
	}
	fresh, timely := s.fresh(peerID{}, number)
	return fresh && timely
}

// crash is a fault of the hub itself.
type crash struct{}

func (crash) handle(*hub) { panic("crash") }

// Crash ends the hub's run.
func (h *Hub) Crash() { h.inbox.put(crash{}) }

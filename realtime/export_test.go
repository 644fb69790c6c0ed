package realtime

import (
	"crypto/tls"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
)

// DeadLink returns a link whose Serve is never called.
func DeadLink() *Link { return NewLink(LinkConfig{Log: zap.NewNop()}) }

// Receive handles an update of another process; Counted handles a message with that process's count.
func (h *Hub) Receive(origin byte, count uint64, data []byte) {
	h.deliver(Message{Kind: KindUpdate, Origin: PeerID{origin}, Count: count, Data: data})
}

func (h *Hub) Counted(origin byte, count uint64) {
	h.inbox.put(fromPeer{Message: Message{Kind: KindCount, Origin: PeerID{origin}, Count: count}})
}

// Trust makes a link accept a test's certificate.
func (l *Link) Trust(config *tls.Config) { l.roots = config }

// ReadPeerMessage decodes a message of the backplane; data is nil unless the message is an update.
func ReadPeerMessage(b []byte) (data []byte, ok bool) {
	p, ok := readMessage(b)
	return p.Data, ok
}

// Signer signs and verifies messages of one sender.
type Signer struct{ *signer }

func NewSigner(keys environment.Keys, installation string) Signer {
	return Signer{newSigner(keys, installation)}
}

func (s Signer) Sign(subject string, body []byte) []byte { return s.sign(subject, body) }

// Accepts reports whether a message is authentic, timely and not repeated.
func (s Signer) Accepts(subject string, message []byte) bool {
	_, number, ok := s.verify(subject, message)
	if !ok {
		return false
	}
	fresh, timely := s.fresh(PeerID{}, number)
	return fresh && timely
}

// crash makes the hub panic.
type crash struct{}

func (crash) handle(*hub) { panic("crash") }

// Crash makes the hub's run panic.
func (h *Hub) Crash() { h.inbox.put(crash{}) }

// settlement makes the hub settle its log.
type settlement struct{ done chan struct{} }

func (s settlement) handle(h *hub) {
	h.settleLog()
	close(s.done)
}

// Settle settles the log now instead of within a second.
func (h *Hub) Settle() {
	done := make(chan struct{})
	h.inbox.put(settlement{done})
	<-done
}

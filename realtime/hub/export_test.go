package hub

import (
	"math"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/backplane"
)

// DeadLink returns a link whose Serve is never called.
func DeadLink() *backplane.Link { return backplane.New(backplane.Config{Log: zap.NewNop()}) }

// ShareForEver makes hubs that are opened later share each snapshot until its module's process ends.
func (h *Hubs) ShareForEver() { h.share = math.MaxInt64 }

// Receive handles an update of another process; Counted handles a message with that process's count.
func (h *Hub) Receive(origin byte, count uint64, data []byte) {
	channel{h}.Deliver(backplane.Message{
		Kind: backplane.KindUpdate, Origin: backplane.PeerID{origin}, Count: count, Data: data})
}

// Counted handles a message with the count of another process.
func (h *Hub) Counted(origin byte, count uint64) {
	h.inbox.Put(fromPeer{Message: backplane.Message{
		Kind: backplane.KindCount, Origin: backplane.PeerID{origin}, Count: count}})
}

// crash makes the hub panic.
type crash struct{}

func (crash) handle(*hub) { panic("crash") }

// Crash makes the hub's run panic.
func (h *Hub) Crash() { h.inbox.Put(crash{}) }

// settlement makes the hub settle its log.
type settlement struct{ done chan struct{} }

func (s settlement) handle(h *hub) {
	h.settleLog()
	close(s.done)
}

// Settle settles the log now instead of within a second.
func (h *Hub) Settle() {
	done := make(chan struct{})
	h.inbox.Put(settlement{done})
	<-done
}

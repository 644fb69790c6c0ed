package hub

import "github.com/narthex-platform/narthex/realtime/update"

// Option changes how a hub works.
type Option func(*Hub)

// Charge counts the memory of a hub in the module's account: updates until their last reader has got them,
// and snapshots. A publish that does not fit is refused with ErrHostOverloaded, a snapshot with
// ErrOverloaded.
func Charge(account update.Account) Option { return func(h *Hub) { h.account = account } }

// drop drops the charge of a message that was handled or will not be. What is still needed of it is kept by
// the room that it is in.
func drop(m message) {
	switch m := m.(type) {
	case publish:
		m.charge.Drop()
	case fromPeer:
		m.charge.Drop()
	case snapshotResult:
		m.state.charge.Drop()
	}
}

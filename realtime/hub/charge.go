package hub

import "github.com/narthex-platform/narthex/realtime/update"

// Option changes how a hub works.
type Option func(*Hub)

// Charge counts the memory of a hub in the module's account: updates until their last reader has got them,
// and snapshots. A publish that does not fit is refused with ErrHostOverloaded, a snapshot with
// ErrOverloaded.
func Charge(account update.Account) Option { return func(h *Hub) { h.account = account } }

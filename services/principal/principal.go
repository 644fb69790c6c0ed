// Package principal owns the types for the sender of a request: a person, a device, a link or nobody. It
// contains no permissions.
package principal

// Kind is the kind of a caller.
type Kind uint8

// The kinds. The zero value has the fewest rights.
const (
	Anonymous Kind = iota
	Human          // a signed-in person
	Device         // a paired screen
	Link           // somebody without an account, who has a link to one module
)

// Principal is one caller. It contains no address, no name and no session.
type Principal struct {
	Kind     Kind
	UserID   string // Human only
	DeviceID string // Device only
	LinkID   string // Link only
	Subject  string // Link only: what its module knows it by
}

// Person returns the principal of a signed-in person.
func Person(userID string) Principal { return Principal{Kind: Human, UserID: userID} }

// Package principal owns the answer to "who is calling": the three classes of spec.md § Principal, and
// nothing about what they may do.
package principal

// Kind is the class of a caller.
type Kind uint8

// The three classes. The zero value is the least of them.
const (
	Anonymous Kind = iota
	Human          // a signed-in person
	Device         // a paired screen
)

// Principal is one caller. It holds no address, no name and no session.
type Principal struct {
	Kind     Kind
	UserID   string // Human only
	DeviceID string // Device only
}

// Person is the principal of a signed-in person.
func Person(userID string) Principal { return Principal{Kind: Human, UserID: userID} }

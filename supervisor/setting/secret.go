// Package setting holds the shapes of settings that packages below the services take, so that those need no
// service. services/environment reads and validates them.
package setting

// Secret holds a value that must never be printed. It keeps the value in a closure, because fmt prints
// unexported string fields even of a type with a String method.
type Secret struct{ reveal func() string }

// NewSecret makes a Secret of value.
func NewSecret(value string) Secret { return Secret{func() string { return value }} }

// Reveal returns the value, "" for the zero Secret.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// String, GoString and MarshalText never return the value.
func (Secret) String() string               { return "[secret]" }
func (Secret) GoString() string             { return "[secret]" }
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

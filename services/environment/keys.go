package environment

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// Keys are the keys of one purpose, derived from the identity secret. Everything is signed with Current; a signature made with either
// of them is accepted, so that replacing the secret invalidates nothing at once.
type Keys struct {
	Current  []byte
	Previous []byte // nil unless SERVICE_IDENTITY_SECRET_PREVIOUS is set
}

// Keys derives the 32-byte keys of a purpose (HKDF with SHA-256, the purpose as its info). Different purposes get keys that tell nothing
// about each other.
func (i Identity) Keys(purpose string) (Keys, error) {
	var keys Keys
	var err error
	if keys.Current, err = deriveKey(i.Secret, purpose); err != nil {
		return Keys{}, err
	}
	if i.PreviousSecret.Reveal() != "" {
		keys.Previous, err = deriveKey(i.PreviousSecret, purpose)
	}
	return keys, err
}

func deriveKey(secret Secret, purpose string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, purpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("environment: derive key: %w", err)
	}
	return key, nil
}

package environment

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

// Keys are the keys of one purpose, derived from the identity secret. Current signs everything. A signature
// made with either key is accepted, so replacing the secret does not invalidate everything at once.
type Keys struct {
	Current  []byte
	Previous []byte // nil unless SERVICE_IDENTITY_SECRET_PREVIOUS is set
}

// Keys derives the 32-byte keys of a purpose (HKDF with SHA-256, with the purpose as its info). The keys of
// one purpose reveal nothing about those of another.
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

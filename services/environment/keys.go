package environment

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

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

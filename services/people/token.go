package people

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// tokenHash is the only part of a token that the database stores.
type tokenHash [sha256.Size]byte

// newToken makes a random token of 256 bits: the text for the link, and the hash for the database.
func newToken() (text string, hash tokenHash) {
	var token [32]byte
	_, _ = rand.Read(token[:]) // never fails: it ends the process instead
	text = base64.RawURLEncoding.EncodeToString(token[:])
	return text, hashOf(text)
}

// hashOf hashes the text itself, so that a text which was never a token is looked up like any other, and the
// response to it takes as long.
func hashOf(text string) tokenHash { return sha256.Sum256([]byte(text)) }

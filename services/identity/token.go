package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// tokenHash is the only part of a token that the database stores.
type tokenHash [sha256.Size]byte

// A token is 256 random bits in unpadded base64url. Sessions and mailed links use it.
const (
	tokenBytes   = 32
	encodedToken = 43
)

// newToken makes a random token: the text for its holder, and the hash for the database.
func newToken() (text string, hash tokenHash) {
	var token [tokenBytes]byte
	_, _ = rand.Read(token[:]) // never fails: it ends the process instead
	return base64.RawURLEncoding.EncodeToString(token[:]), sha256.Sum256(token[:])
}

// parseToken accepts only the format that newToken makes.
func parseToken(text string) (hash tokenHash, ok bool) {
	if len(text) != encodedToken {
		return tokenHash{}, false
	}
	token, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return tokenHash{}, false
	}
	return sha256.Sum256(token), true
}

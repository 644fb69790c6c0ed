package feeds

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// secretHash is the only part of an address's secret that the database stores.
type secretHash [sha256.Size]byte

// A secret is 32 random bytes in unpadded base64url.
const (
	secretBytes   = 32
	encodedSecret = 43
)

func newSecret() (text string, hash secretHash) {
	var secret [secretBytes]byte
	_, _ = rand.Read(secret[:]) // never fails: it ends the process instead
	return base64.RawURLEncoding.EncodeToString(secret[:]), sha256.Sum256(secret[:])
}

// parseSecret accepts only the format that newSecret makes.
func parseSecret(text string) (hash secretHash, ok bool) {
	if len(text) != encodedSecret {
		return secretHash{}, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(secret) != secretBytes { // shorter: the decoder skips line ends
		return secretHash{}, false
	}
	return sha256.Sum256(secret), true
}

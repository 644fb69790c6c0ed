package links

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// secretHash is the only part of a secret that the database stores.
type secretHash [sha256.Size]byte

// A secret is 32 random bytes, in unpadded base64url.
const (
	secretBytes   = 32
	encodedSecret = 43
)

func newSecret() []byte {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails: it ends the process instead
	return secret
}

// decodeSecret accepts only the format that encode makes.
func decodeSecret(text string) (secret []byte, ok bool) {
	if len(text) != encodedSecret {
		return nil, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return secret, err == nil && len(secret) == secretBytes // shorter: the decoder skips line ends
}

func encode(secret []byte) string { return base64.RawURLEncoding.EncodeToString(secret) }

// cookieOf derives the cookie's secret from that of the link (HKDF, RFC 5869). So a link can be opened in any
// number of browsers, and the server stores neither secret.
func cookieOf(secret []byte, linkID string) []byte {
	derived, err := hkdf.Key(sha256.New, secret, nil, "narthex link 1"+linkID, secretBytes)
	if err != nil {
		panic(err) // only for a length that SHA-256 cannot provide
	}
	return derived
}

// cookie is the name and the attributes of the cookie. It ends with the browser's session.
type cookie struct{ name, attributes string }

func newCookie(https bool) cookie {
	if https {
		return cookie{"__Host-narthex_link", "; Path=/; HttpOnly; Secure; SameSite=Lax"}
	}
	return cookie{"narthex_link", "; Path=/; HttpOnly; SameSite=Lax"}
}

func (c cookie) set(header http.Header, value string) {
	header.Add("Set-Cookie", c.name+"="+value+c.attributes)
}

// hash returns the hash of the secret in a request's cookie; ok is false without a cookie in our format.
func (c cookie) hash(header http.Header) (hash secretHash, ok bool) {
	value, _ := httpapi.Cookie(header, c.name)
	secret, ok := decodeSecret(value)
	return sha256.Sum256(secret), ok
}

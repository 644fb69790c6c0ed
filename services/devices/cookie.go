package devices

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// How long browsers keep the two cookies. A claim cookie lasts a minute longer than its pairing, so that a
// late screen gets the state "expired". 400 days is the most that browsers allow.
const (
	claimCookieLifetime      = 660 * time.Second
	credentialCookieLifetime = 400 * 24 * time.Hour
)

// secretHash is the only part of a claim or a credential that the database stores.
type secretHash [sha256.Size]byte

// A cookie's value is 32 random bytes in unpadded base64url.
const (
	secretBytes   = 32
	encodedSecret = 43
)

// secretCookie is the cookie of one kind of secret: its name, attributes and lifetime.
type secretCookie struct {
	name       string
	attributes string
	maxAge     string // seconds
}

func newSecretCookie(name string, https bool, life time.Duration) secretCookie {
	seconds := strconv.FormatInt(int64(life/time.Second), 10)
	if https {
		return secretCookie{"__Host-" + name, "; Path=/; HttpOnly; Secure; SameSite=Lax", seconds}
	}
	return secretCookie{name, "; Path=/; HttpOnly; SameSite=Lax", seconds}
}

func (c secretCookie) find(header http.Header) (value string, found bool) {
	return httpapi.Cookie(header, c.name)
}

// secretHash returns the hash of the secret in a request's cookie. ok is false when there is no cookie in
// our format.
func (c secretCookie) secretHash(header http.Header) (hash secretHash, ok bool) {
	value, _ := c.find(header)
	return parseSecret(value)
}

// deriveCredential makes the credential of a device from the claim secret of its screen (HKDF, RFC 5869). So
// a claim whose response was lost, or that two tabs make at once, can be repeated and returns the same
// credential, and the server needs to store neither secret.
func deriveCredential(claim []byte, deviceID string) (value string, hash secretHash) {
	secret, err := hkdf.Key(sha256.New, claim, nil, "narthex device 1"+deviceID, secretBytes)
	if err != nil {
		panic(err) // only for a length that SHA-256 cannot provide
	}
	return base64.RawURLEncoding.EncodeToString(secret), sha256.Sum256(secret)
}

func (c secretCookie) set(header http.Header, value string) {
	header.Add("Set-Cookie", c.name+"="+value+"; Max-Age="+c.maxAge+c.attributes)
}

// clear makes the browser delete the cookie.
func (c secretCookie) clear(header http.Header) {
	header.Add("Set-Cookie", c.name+"=; Max-Age=0"+c.attributes)
}

// newSecret makes a random secret: the value for the browser, and the hash for the database.
func newSecret() (value string, hash secretHash) {
	var secret [secretBytes]byte
	_, _ = rand.Read(secret[:]) // never fails: it ends the process instead
	return base64.RawURLEncoding.EncodeToString(secret[:]), sha256.Sum256(secret[:])
}

// parseSecret accepts only the format that newSecret makes.
func parseSecret(value string) (hash secretHash, ok bool) {
	secret, ok := decodeSecret(value)
	if !ok {
		return secretHash{}, false
	}
	return sha256.Sum256(secret), true
}

// decodeSecret returns the secret's bytes.
func decodeSecret(value string) (secret []byte, ok bool) {
	if len(value) != encodedSecret {
		return nil, false
	}
	secret, err := base64.RawURLEncoding.Strict().DecodeString(value)
	return secret, err == nil && len(secret) == secretBytes // shorter: the decoder skips line ends
}

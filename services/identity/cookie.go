package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// A cookie's value is <token>.<mac>, each 32 bytes in unpadded base64url.
const encodedPart = encodedToken

// sessionCookie is the only cookie of this package: its name, signature and attributes
// (docs/reference/identity.md).
type sessionCookie struct {
	name       string
	attributes string
	keys       environment.Keys
}

func newSessionCookie(settings environment.Identity) (sessionCookie, error) {
	keys, err := settings.Keys("narthex session cookie 1")
	if err != nil {
		return sessionCookie{}, err
	}
	if settings.BaseURL.HTTPS() {
		return sessionCookie{"__Host-narthex_session", "; Path=/; HttpOnly; Secure; SameSite=Lax", keys}, nil
	}
	return sessionCookie{"narthex_session", "; Path=/; HttpOnly; SameSite=Lax", keys}, nil
}

func (c sessionCookie) find(header http.Header) (value string, found bool) {
	return httpapi.Cookie(header, c.name)
}

// newValue makes a new token: the value for the browser, the hash for the database.
func (c sessionCookie) newValue() (value string, hash tokenHash) {
	token, hash := newToken()
	return c.sign(token), hash
}

func (c sessionCookie) sign(token string) (value string) {
	return token + "." + base64.RawURLEncoding.EncodeToString(mac(c.keys.Current, token))
}

// signature is the key with which a cookie was signed.
type signature uint8

const (
	forged signature = iota
	signedByPrevious
	signedByCurrent
)

// verify accepts only values of newValue, signed with the current secret or with the previous one.
func (c sessionCookie) verify(value string) (tokenHash, signature) {
	if len(value) != 2*encodedPart+1 || value[encodedPart] != '.' {
		return tokenHash{}, forged
	}
	sent, err := base64.RawURLEncoding.Strict().DecodeString(value[encodedPart+1:])
	if err != nil {
		return tokenHash{}, forged
	}
	by := c.signer(value[:encodedPart], sent)
	hash, ok := parseToken(value[:encodedPart])
	if by == forged || !ok {
		return tokenHash{}, forged
	}
	return hash, by
}

func (c sessionCookie) signer(token string, sent []byte) signature {
	switch {
	case hmac.Equal(sent, mac(c.keys.Current, token)):
		return signedByCurrent
	case c.keys.Previous != nil && hmac.Equal(sent, mac(c.keys.Previous, token)):
		return signedByPrevious
	}
	return forged
}

// signAgain signs a value that verify has accepted with the current key.
func (c sessionCookie) signAgain(value string) string { return c.sign(value[:encodedPart]) }

func mac(key []byte, encodedToken string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(encodedToken))
	return mac.Sum(nil)
}

// setFor sets the cookie with a lifetime.
func (c sessionCookie) setFor(header http.Header, value string, lifetime time.Duration) {
	header.Add(
		"Set-Cookie",
		c.name+"="+value+"; Max-Age="+strconv.FormatInt(int64(lifetime/time.Second), 10)+c.attributes,
	)
}

// setUntilClosed sets a cookie that lasts until the browser is closed.
func (c sessionCookie) setUntilClosed(header http.Header, value string) {
	header.Add("Set-Cookie", c.name+"="+value+c.attributes)
}

// clear makes the browser delete the cookie.
func (c sessionCookie) clear(header http.Header) { c.setFor(header, "", 0) }

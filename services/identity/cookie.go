package identity

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// A cookie's value is <token>.<mac>, each 32 bytes in unpadded base64url.
const encodedPart = encodedToken

// sessionCookie is the one cookie of this package: how it is named, signed, found and set (contract.md §2).
type sessionCookie struct {
	name       string
	attributes string
	key        []byte
}

func newSessionCookie(secret environment.Secret, https bool) (sessionCookie, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "narthex session cookie 1", sha256.Size)
	if err != nil {
		return sessionCookie{}, fmt.Errorf("identity: cookie key: %w", err)
	}
	if https {
		return sessionCookie{"__Host-narthex_session", "; Path=/; HttpOnly; Secure; SameSite=Lax", key}, nil
	}
	return sessionCookie{"narthex_session", "; Path=/; HttpOnly; SameSite=Lax", key}, nil
}

func (c sessionCookie) find(header http.Header) (value string, found bool) {
	return httpapi.Cookie(header, c.name)
}

// mint makes a fresh token: the value for the browser, the hash for the database.
func (c sessionCookie) mint() (value string, hash tokenHash) {
	token, hash := mintToken()
	return token + "." + base64.RawURLEncoding.EncodeToString(c.mac(token)), hash
}

// open accepts exactly what mint made.
func (c sessionCookie) open(value string) (hash tokenHash, ok bool) {
	if len(value) != 2*encodedPart+1 || value[encodedPart] != '.' {
		return tokenHash{}, false
	}
	mac, err := base64.RawURLEncoding.Strict().DecodeString(value[encodedPart+1:])
	if err != nil || !hmac.Equal(mac, c.mac(value[:encodedPart])) {
		return tokenHash{}, false
	}
	return openToken(value[:encodedPart])
}

func (c sessionCookie) mac(encodedToken string) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(encodedToken))
	return mac.Sum(nil)
}

// setFor lets the browser keep value for lifetime.
func (c sessionCookie) setFor(header http.Header, value string, lifetime time.Duration) {
	header.Add("Set-Cookie", c.name+"="+value+"; Max-Age="+strconv.FormatInt(int64(lifetime/time.Second), 10)+c.attributes)
}

// setUntilClosed lets the browser keep value until it is closed.
func (c sessionCookie) setUntilClosed(header http.Header, value string) {
	header.Add("Set-Cookie", c.name+"="+value+c.attributes)
}

// clear tells the browser to forget the cookie.
func (c sessionCookie) clear(header http.Header) { c.setFor(header, "", 0) }

package identity

import (
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// pendingLifetime is how long a sign-in waits for the second factor, by the database's clock.
const pendingLifetime = 5 * time.Minute

// pendingCookie is the cookie of a sign-in that waits for the second factor. It is no session: services that
// resolve one do not know it. It is not signed, because only a request with it costs a look-up.
type pendingCookie struct{ name, attributes string }

func newPendingCookie(base environment.Origin) pendingCookie {
	if base.HTTPS() {
		return pendingCookie{"__Host-narthex_pending", "; Path=/; HttpOnly; Secure; SameSite=Lax"}
	}
	return pendingCookie{"narthex_pending", "; Path=/; HttpOnly; SameSite=Lax"}
}

func (c pendingCookie) set(header http.Header, value string, lifetime time.Duration) {
	seconds := strconv.FormatInt(int64(lifetime/time.Second), 10)
	header.Add("Set-Cookie", c.name+"="+value+"; Max-Age="+seconds+c.attributes)
}

// PendingOf returns what the database knows the request's pending sign-in by.
func (s *Service) PendingOf(r *http.Request) (hash [32]byte, found bool) {
	value, _ := httpapi.Cookie(r.Header, s.pending.name)
	return parseToken(value)
}

// SessionOf returns what the database knows the request's session by. Without one, no row has it.
func (s *Service) SessionOf(r *http.Request) (hash [32]byte) { return s.ownHash(r) }

// NewSession makes the cookie's value for a session that a pending sign-in is about to become, and what the
// database knows it by.
func (s *Service) NewSession() (value string, hash [32]byte) { return s.cookie.newValue() }

// Complete hands the session to the browser, and ends its pending sign-in there.
func (s *Service) Complete(header http.Header, value string, persistent bool) {
	s.setSession(header, value, persistent)
	s.pending.set(header, "", 0)
}

func (s *Service) setSession(header http.Header, value string, persistent bool) {
	if persistent {
		s.cookie.setFor(header, value, persistentLifetime)
	} else {
		s.cookie.setUntilClosed(header, value)
	}
}

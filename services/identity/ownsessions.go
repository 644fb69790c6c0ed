package identity

import (
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	readAccount     = "core.account.read"
	ownSessionsPath = "/api/v1/account/sessions"
	maxOwnBody      = 16 << 10 // bytes
)

// AccountRoutes are the routes with which people see and end their own sessions.
func (s *Service) AccountRoutes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: ownSessionsPath, Permission: readAccount, Handle: s.listSessions},
		{
			Method: "POST", Path: ownSessionsPath + "/{session_id}/end",
			Origin: httpapi.TrustedOrigin,
			Body:   httpapi.WholeBody, MaxBody: maxOwnBody,
			Permission: readAccount,
			Handle:     s.endSession,
		},
	}
}

// listedSession is a session in the list of its person. Its id opens nothing.
type listedSession struct {
	ID          string `json:"id"`
	CreatedAt   string `json:"createdAt"`
	LastSeenAt  string `json:"lastSeenAt"`
	Current     bool   `json:"current"`
	Description string `json:"description"`
}

// listSessions is GET /api/v1/account/sessions: the latest one first.
func (s *Service) listSessions(c *httpapi.Call) error {
	found, err := s.store.ownSessions(c.Request.Context(), c.UserID(), s.ownHash(c.Request))
	if err != nil {
		return fmt.Errorf("%w: %w", httpapi.ErrStore, err)
	}
	listed := make([]listedSession, len(found))
	for i, one := range found {
		listed[i] = listedSession{
			ID: one.ID, CreatedAt: httpapi.Time(one.CreatedAt), LastSeenAt: httpapi.Time(one.LastSeenAt),
			Current: one.Current, Description: one.Description,
		}
	}
	return c.JSON(http.StatusOK, struct {
		Sessions []listedSession `json:"sessions"`
	}{listed})
}

// endSession is POST /api/v1/account/sessions/{session_id}/end. It succeeds also when the session has ended
// already; that of another person stays.
func (s *Service) endSession(c *httpapi.Call) error {
	id, err := uuid.Parse(c.Parameter("session_id"))
	if err != nil || id.String() != c.Parameter("session_id") {
		return httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	current, err := s.store.endOwn(c.Request.Context(), c.UserID(), id.String(), s.ownHash(c.Request))
	if err != nil {
		return fmt.Errorf("%w: %w", httpapi.ErrStore, err)
	}
	header := c.Writer.Header()
	if current {
		s.cookie.clear(header)
	}
	header.Set("Cache-Control", "no-store")
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

// ownHash returns what the database knows the request's session by. Without one, no row has it.
func (s *Service) ownHash(r *http.Request) tokenHash {
	value, _ := s.cookie.find(r.Header)
	hash, _ := s.cookie.verify(value)
	return hash
}

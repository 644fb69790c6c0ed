package health

import (
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// Routes returns the two health routes. They accept GET only, resolve no principal and use no store except
// the shared ping.
func (h *Health) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/api/v1/health/live", Handle: live, OthersNotAllowed: true},
		{Method: "GET", Path: "/api/v1/health/ready", Handle: h.handleReady, OthersNotAllowed: true},
	}
}

func live(c *httpapi.Call) error {
	return c.RawJSON(http.StatusOK, []byte(`{"status":"live"}`))
}

func (h *Health) handleReady(c *httpapi.Call) error {
	if err := h.Check(c.Request.Context()); err != nil {
		h.report(err)
		httpapi.WriteError(c.Writer, ErrNotReady)
		return nil
	}
	return c.RawJSON(http.StatusOK, []byte(`{"status":"ready"}`))
}

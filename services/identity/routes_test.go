package identity_test

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/identity"
)

// Every POST checks its origin, and every route below /api/auth limits its body.
func TestRouteGates(t *testing.T) {
	t.Parallel()
	service, err := identity.New(
		identity.Config{
			Store:   identity.NewStore(nil),
			Limiter: unlimited{},
			Outbox:  &outbox{},
			Emails:  inEnglish,
			Log:     zap.NewNop(),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, route := range service.Routes() {
		listed[route.Method+" "+route.Path] = true
		if route.Permission != "" || route.Head {
			t.Errorf("%s: permission %q, want none; HEAD %v, want false", route.Path, route.Permission, route.Head)
		}
		if strings.HasPrefix(route.Path, "/api/v1/") {
			continue
		}
		if route.Body != httpapi.WholeBody || route.MaxBody != 8<<10 {
			t.Errorf("%s: body mode %v and limit %d, want a buffered body of at most 8 KiB",
				route.Path, route.Body, route.MaxBody)
		}
		if route.Method != "GET" && route.Origin != httpapi.OriginByHandler {
			t.Errorf("%s: origin gate %v, want OriginByHandler", route.Path, route.Origin)
		}
	}
	wanted := []string{
		"POST /api/auth/sign-in/email",
		"POST /api/auth/sign-up/email",
		"POST /api/auth/sign-out",
		"POST /api/auth/request-password-reset",
		"POST /api/auth/reset-password",
		"POST /api/auth/send-verification-email",
		"GET /api/auth/verify-email",
		"GET /api/auth/ok",
		"GET /api/v1/principal",
	}
	for _, want := range wanted {
		if !listed[want] {
			t.Errorf("the route %s is missing", want)
		}
	}
	if len(listed) != len(wanted) {
		t.Errorf("routes %v, want %v", listed, wanted)
	}
}

func TestAlive(t *testing.T) {
	t.Parallel()
	h := setup(t)
	if w := h.send(t, request{method: "GET", path: "/api/auth/ok"}); w.Code != 200 ||
		w.Body.String() != `{"ok":true}` {
		t.Errorf("GET /api/auth/ok: status %d, want 200; body %s", w.Code, w.Body)
	}
}

func TestNewNeedsAll(t *testing.T) {
	t.Parallel()
	for _, config := range []identity.Config{
		{},
		{Limiter: unlimited{}, Outbox: &outbox{}, Emails: inEnglish, Log: zap.NewNop()},
		{Store: identity.NewStore(nil), Outbox: &outbox{}, Emails: inEnglish, Log: zap.NewNop()},
		{Store: identity.NewStore(nil), Limiter: unlimited{}, Emails: inEnglish, Log: zap.NewNop()},
		{Store: identity.NewStore(nil), Limiter: unlimited{}, Outbox: &outbox{}, Log: zap.NewNop()},
		{Store: identity.NewStore(nil), Limiter: unlimited{}, Outbox: &outbox{}, Emails: inEnglish},
	} {
		if _, err := identity.New(config); err == nil {
			t.Error("a service came out of nothing")
		}
	}
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	setup(t).PrepareAll(t, identity.Statements())
}

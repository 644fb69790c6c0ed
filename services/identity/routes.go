package identity

import (
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// maxBody is the limit of every /api/auth route, in bytes. It applies to GET too.
const maxBody = 8 << 10

// Routes is identity's part of the route table. These are all the routes below /api/auth/; anything else is
// a 404.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		s.write(
			"/api/auth/sign-in/email",
			endpoint{schema: signInSchema(), opensSession: true, handle: s.signIn},
		),
		s.write(
			"/api/auth/sign-up/email",
			endpoint{schema: signUpSchema(), opensSession: true, handle: s.signUp},
		),
		s.write("/api/auth/sign-out", endpoint{bodyOptional: true, handle: s.signOut}),
		s.write(
			"/api/auth/request-password-reset",
			endpoint{schema: recoverySchema("redirectTo"), handle: s.requestPasswordReset},
		),
		s.write("/api/auth/reset-password", endpoint{schema: resetSchema(), handle: s.resetPassword}),
		s.write(
			"/api/auth/send-verification-email",
			endpoint{schema: recoverySchema("callbackURL"), handle: s.sendVerificationEmail},
		),
		s.read("/api/auth/verify-email", s.verifyEmail),
		s.read("/api/auth/ok", s.alive),
		{Method: "GET", Path: "/api/v1/principal", Handle: s.principal},
	}
}

func (s *Service) write(path string, e endpoint) httpapi.Route {
	return httpapi.Route{
		Method: "POST", Path: path,
		Origin: httpapi.OriginByHandler,
		Body:   httpapi.WholeBody, MaxBody: maxBody,
		Handle: s.limited(path, func(c *httpapi.Call) error { return s.run(c, e) }),
	}
}

func (s *Service) read(path string, handle httpapi.Handler) httpapi.Route {
	return httpapi.Route{
		Method:  "GET",
		Path:    path,
		Body:    httpapi.WholeBody,
		MaxBody: maxBody,
		Handle:  s.limited(path, handle),
	}
}

// The response bodies that never vary. They are only ever read.
var (
	okBody        = []byte(`{"ok":true}`)
	successBody   = []byte(`{"success":true}`)
	statusBody    = []byte(`{"status":true}`)
	verifiedBody  = []byte(`{"status":true,"user":null}`)
	resetSentBody = []byte(
		`{"status":true,"message":"If this email exists in our system, check your email for the reset link"}`,
	)
	anonymousBody = []byte(`{"kind":"anonymous"}`)
)

func (s *Service) alive(c *httpapi.Call) error { return c.RawJSON(http.StatusOK, okBody) }

package identity

import "github.com/narthex-platform/narthex/services/httpapi"

// endpoint is one POST route below /api/auth. Media type, JSON, origin, callback fields and schema are
// checked in the same way for all of them; only handle differs.
type endpoint struct {
	schema       []field
	opensSession bool // sign-in and sign-up: origin rule B
	bodyOptional bool // an empty body without a type counts as {}
	handle       func(*httpapi.Call, input) error
}

// run checks in the order that docs/reference/identity.md promises. Clients can see that order: a request
// from an untrusted origin that also lacks fields gets 403 with our cookie and 400 without it. Malformed
// JSON gets 400 in both cases.
func (s *Service) run(c *httpapi.Call, e endpoint) error {
	body, err := parseBody(c, e.bodyOptional)
	if err != nil {
		return err
	}
	_, withSession := s.cookie.find(c.Request.Header)
	if withSession {
		if err := s.origins.ruleA(c.Request.Header); err != nil {
			return err
		}
	}
	if err := checkCallbacks(body, c.Request.URL.RawQuery); err != nil {
		return err
	}
	in, err := checkSchema(body, e.schema)
	if err != nil {
		return err
	}
	if e.opensSession && !withSession {
		if err := s.origins.ruleB(c.Request.Header); err != nil {
			return err
		}
	}
	return e.handle(c, in)
}

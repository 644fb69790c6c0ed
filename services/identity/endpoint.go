package identity

import "github.com/narthex-platform/narthex/services/httpapi"

// endpoint is one writing route below /api/auth. Media type, parsing, origin, callback fields and schema
// are checked for all of them alike; only handle differs.
type endpoint struct {
	schema       []field
	opensSession bool // sign-in and sign-up: origin rule B
	bodyOptional bool // an empty body without a type counts as {}
	handle       func(*httpapi.Call, input) error
}

// run takes the steps in the order in which a client can tell them apart (contract.md §2): an untrusted
// origin with missing fields is a 403 with our cookie and a 400 without, and malformed JSON is a 400 in
// both.
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

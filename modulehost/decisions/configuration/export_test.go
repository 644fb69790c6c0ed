package configuration

import (
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Validate decodes and checks a body as the route does before it stores anything.
func Validate(declared []manifest.Declaration, c *httpapi.Call) (map[string]string, error) {
	sent, err := decode(c)
	if err != nil {
		return nil, err
	}
	return check(declared, sent.Values)
}

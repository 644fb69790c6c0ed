package links

import (
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// openRule limits how often one client may open a link, so that nobody guesses. writeRule limits how often
// one client may change something with links, because anybody can have one of those that hang on a wall.
var (
	openRule  = ratelimit.Rule{Window: time.Minute, Max: 30}
	writeRule = ratelimit.Rule{Window: time.Minute, Max: 30}
)

// writeKey is what all writes of a client are counted under, whatever the link and the route.
const writeKey = "/api/v1/module-links"

// Limit returns the rows of the route table with a limit for writes by links.
func (s *Service) Limit(rows []httpapi.Route) []httpapi.Route {
	for at, row := range rows {
		if row.Link && row.Method != http.MethodGet {
			rows[at].Handle = s.limited(row.Handle)
		}
	}
	return rows
}

func (s *Service) limited(handle httpapi.Handler) httpapi.Handler {
	return func(c *httpapi.Call) error {
		if err := s.allow(c, writeRule, writeKey); err != nil {
			return err
		}
		return handle(c)
	}
}

// allow counts a request of a client. Code: TOO_MANY_REQUESTS.
func (s *Service) allow(c *httpapi.Call, rule ratelimit.Rule, what string) error {
	client := clientaddress.Of(c.Request.Header)
	ok, wait := s.limiter.Allow(rule, ratelimit.KeyOf(client, what))
	if ok {
		return nil
	}
	seconds := (wait + time.Second - 1) / time.Second
	c.Writer.Header().Set("X-Retry-After", strconv.FormatInt(int64(seconds), 10))
	return tooManyRequests{wait}
}

package storage

import (
	"net/http"
	"sync/atomic"
)

// counts are the numbers of requests to the service. Each attempt is counted.
type counts struct{ requests, failures atomic.Int64 }

func (c *counts) count(response *http.Response, err error) {
	c.requests.Add(1)
	if err != nil || response.StatusCode >= http.StatusInternalServerError {
		c.failures.Add(1)
	}
}

// Figures returns how many requests were sent to the service since the process began, and how many of them
// got no response, or one of 500 and above.
func (p *Provider) Figures() (requests, failures int64) {
	return p.counts.requests.Load(), p.counts.failures.Load()
}

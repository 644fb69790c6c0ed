package httpserver

import (
	"net/http"
	"sync/atomic"
	"time"
)

// dates keeps the value of the Date header (RFC 9110 §6.6.1) for the current second. Without it net/http
// formats one for each response. It is safe for concurrent use.
type dates struct {
	current atomic.Pointer[date]
}

type date struct {
	second int64 // since 1970
	header []string
}

// at returns the header's value for a time. The caller must not change it.
func (d *dates) at(t time.Time) []string {
	second := t.Unix()
	if current := d.current.Load(); current != nil && current.second == second {
		return current.header
	}
	next := &date{second, []string{t.UTC().Format(http.TimeFormat)}}
	d.current.Store(next)
	return next.header
}

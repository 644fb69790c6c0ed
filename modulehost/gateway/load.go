package gateway

import (
	"errors"
	"sync/atomic"
)

// Load is what a module's requests are at: those under way, and the counts of all since its routes were
// made. A nil *Load counts nothing. Safe for concurrent use.
type Load struct {
	queue              atomic.Pointer[queue]
	requests, failures atomic.Int64
}

// Now returns the requests in the module, and those that wait for a place or have not sent their body.
func (l *Load) Now() (inFlight, waiting int64) {
	queue := l.queue.Load()
	if queue == nil {
		return 0, 0
	}
	inFlight = int64(len(queue.places))
	return inFlight, max(queue.joined.Load()-inFlight, 0)
}

// Total returns how many requests passed the gates and have ended, and how many of these the platform
// answered in the module's place.
func (l *Load) Total() (requests, failures int64) { return l.requests.Load(), l.failures.Load() }

func (l *Load) follow(queue *queue) {
	if l != nil {
		l.queue.Store(queue)
	}
}

// count counts a request that has ended.
func (l *Load) count(err error) {
	if l == nil {
		return
	}
	l.requests.Add(1)
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		switch coded.Code() {
		case codeUnavailable, ErrHandler.Code(), ErrOverloaded.Code():
			l.failures.Add(1)
		}
	}
}

package gateway

import (
	"errors"
	"sync/atomic"
)

// Load counts a module's requests: those in progress, and all since its routes were made. A nil *Load counts
// nothing. It is safe for concurrent use.
type Load struct {
	queue              atomic.Pointer[queue]
	requests, failures atomic.Int64
}

// Now returns how many requests are in the module, and how many wait for a slot or have not sent their body.
func (l *Load) Now() (inFlight, waiting int64) {
	queue := l.queue.Load()
	if queue == nil {
		return 0, 0
	}
	inFlight = int64(len(queue.places))
	return inFlight, max(queue.joined.Load()-inFlight, 0)
}

// Total returns how many requests have passed the gates and ended, and to how many of these the platform
// responded instead of the module.
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
	if l.requests.Add(1); err == nil {
		return // without the allocations of the search for a code
	}
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		switch coded.Code() {
		case codeUnavailable, ErrHandler.Code(), ErrOverloaded.Code():
			l.failures.Add(1)
		}
	}
}

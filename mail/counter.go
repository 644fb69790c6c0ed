package mail

import (
	"context"
	"sync/atomic"
)

// results are all possible results of an attempt.
var results = [...]SendResult{Sent, NotConfigured, MessageInvalid, ConnectionFailed, TLSFailed,
	AuthenticationFailed, Rejected, Deferred, Timeout}

// Counter is a Sender that counts the results of attempts, of the platform and of modules together.
type Counter struct {
	sender Sender
	counts [len(results)]atomic.Int64
}

// NewCounter returns a Counter that sends with sender.
func NewCounter(sender Sender) *Counter { return &Counter{sender: sender} }

// Send sends with the Counter's sender and counts the result.
func (c *Counter) Send(ctx context.Context, m Message) SendResult {
	result := c.sender.Send(ctx, m)
	for i := range results {
		if results[i] == result {
			c.counts[i].Add(1)
		}
	}
	return result
}

// Figures returns how many attempts have ended with each result since the process began.
func (c *Counter) Figures() map[SendResult]int64 {
	figures := make(map[SendResult]int64, len(results))
	for i := range results {
		figures[results[i]] = c.counts[i].Load()
	}
	return figures
}

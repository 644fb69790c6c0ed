package mail

import (
	"context"
	"sync/atomic"
)

// results are all that an attempt can end with.
var results = [...]SendResult{Sent, NotConfigured, MessageInvalid, ConnectionFailed, TLSFailed,
	AuthenticationFailed, Rejected, Timeout}

// Counter is a Sender that counts how attempts end, of the platform and of modules alike.
type Counter struct {
	sender Sender
	counts [len(results)]atomic.Int64
}

// NewCounter counts what sender does.
func NewCounter(sender Sender) *Counter { return &Counter{sender: sender} }

// Send is the sender's.
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

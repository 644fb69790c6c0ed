package mail

import "context"

// Probe makes an attempt without a message: it connects, starts TLS, authenticates and quits. Sent means that
// all steps succeeded; any other result is that of a Send. It takes at most 30 s.
func (t *Transport) Probe(ctx context.Context) (result SendResult) {
	defer func() {
		if recover() != nil { // the library parses input from a foreign server
			result = ConnectionFailed
		}
	}()
	if t.settings.Host == "" {
		return NotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, t.limits.total)
	defer cancel()
	return t.attempt(ctx, rendered{}, (*session).opening)
}

package mail

import "context"

// Probe makes an attempt that ends before a message: it connects, encrypts, signs in and leaves. Sent means
// that all of it went well; any other result is what a Send would have had. It takes at most 30 s.
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

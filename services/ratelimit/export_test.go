package ratelimit

// Keys returns how many keys are stored.
func (l *Limiter) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keys
}

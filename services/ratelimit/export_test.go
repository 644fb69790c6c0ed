package ratelimit

// Keys is how many keys are held.
func (l *Limiter) Keys() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keys
}

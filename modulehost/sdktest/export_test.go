package sdktest

import "time"

// Hurry lets a reader wait less for its next event.
func Hurry(s *Subscription, within time.Duration) { s.within = within }

package sdktest

import "time"

// Hurry sets how long a reader waits for its next event.
func Hurry(s *Subscription, within time.Duration) { s.within = within }

package sdktest

import "time"

// SetEventTimeout sets how long a reader waits for its next event.
func SetEventTimeout(s *Subscription, within time.Duration) { s.within = within }

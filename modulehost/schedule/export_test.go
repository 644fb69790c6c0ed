package schedule

import "time"

// SetPauses shortens the intervals that a test would have to wait for.
func (s *Service) SetPauses(run, renew, stop time.Duration) {
	s.pauses.run, s.pauses.renew, s.pauses.stop = run, renew, stop
}

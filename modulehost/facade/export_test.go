package facade

import "time"

// GiveUpAfter sets how long a handle may be idle. It must be called before Open.
func (f *Facade) GiveUpAfter(idle time.Duration) { f.idleFor = idle }

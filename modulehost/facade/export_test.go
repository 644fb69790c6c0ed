package facade

import "time"

// GiveUpAfter sets how long a handle may be left alone. Before Open.
func (f *Facade) GiveUpAfter(idle time.Duration) { f.idleFor = idle }

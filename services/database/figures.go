package database

import "time"

// PoolFigures are the numbers of a pool's connections.
type PoolFigures struct {
	Most    int // the limit
	Open    int
	Idle    int // of the open ones
	Waiting int // callers that wait for one of the modules' connections; unknown for Core's pool
}

// Figures returns the figures of Core's pool, and those of all modules' pools together.
func (d *Database) Figures() (core, modules PoolFigures) {
	stat := d.core.Stat()
	core = PoolFigures{Most: int(stat.MaxConns()), Open: int(stat.TotalConns()), Idle: int(stat.IdleConns())}
	return core, d.modules.figures()
}

// Waited returns how often a caller had to wait for a connection of Core's pool since the process began, and
// how long they waited together.
func (d *Database) Waited() (times int64, long time.Duration) {
	stat := d.core.Stat()
	return stat.EmptyAcquireCount(), stat.EmptyAcquireWaitTime()
}

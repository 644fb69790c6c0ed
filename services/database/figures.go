package database

import "time"

// PoolFigures are how a pool's connections are used.
type PoolFigures struct {
	Most    int // that there may be
	Open    int
	Idle    int // of these
	Waiting int // callers that wait for one of the modules' connections; Core's pool does not tell
}

// Figures returns Core's pool, and that of all modules together.
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

func (b *budget) figures() PoolFigures {
	b.mu.Lock()
	defer b.mu.Unlock()
	figures := PoolFigures{Most: max(b.size, len(b.pools)), Waiting: len(b.waiting)}
	for _, pool := range b.pools {
		figures.Open += pool.open
		figures.Idle += len(pool.idle)
	}
	return figures
}

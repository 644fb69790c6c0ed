package supervisor

import "time"

// OnCrash is what a service declares about its own failure after ready.
type OnCrash uint8

const (
	// Restart calls Serve again after a pause of 0, 0, 1, 2, 4, 8 and 16 s, and of 30 s after every later crash. Ten minutes without a
	// crash begin anew. A service that is Pausing is told.
	Restart OnCrash = iota
	// EndProcess leaves the service down and tells Tree.Failed: the process has no use without it.
	EndProcess
)

// Deadlines and codes of a Child that declares none.
const (
	DefaultReadyWithin = 30 * time.Second
	DefaultStopWithin  = 10 * time.Second // spec.md § Limits: a stop or rollback hook
)

// Child is a service and how the tree treats it. Zero values mean the defaults.
type Child struct {
	Service Service
	OnCrash OnCrash

	// ReadyWithin is how long Start waits for ready. ReadyCode is reported when it was not enough: ErrStartTimeout, or a code
	// of the service's own such as MODULE_START_TIMEOUT.
	ReadyWithin time.Duration
	ReadyCode   string

	// StopWithin is the grace of a stop. A service that drains declares its drain and a margin here. StopCode is reported
	// when a regular stop needed more, RollbackCode when the stop after a failed start did, also where the service itself noticed and
	// returned StopCode. Both default to ErrStopTimeout.
	StopWithin   time.Duration
	StopCode     string
	RollbackCode string
}

// withDefaults fills what the caller left out.
func (c Child) withDefaults() Child {
	if c.ReadyWithin <= 0 {
		c.ReadyWithin = DefaultReadyWithin
	}
	if c.StopWithin <= 0 {
		c.StopWithin = DefaultStopWithin
	}
	if c.ReadyCode == "" {
		c.ReadyCode = ErrStartTimeout.Code()
	}
	if c.StopCode == "" {
		c.StopCode = ErrStopTimeout.Code()
	}
	if c.RollbackCode == "" {
		c.RollbackCode = ErrStopTimeout.Code()
	}
	return c
}

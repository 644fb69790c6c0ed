package supervisor

import "time"

// OnCrash defines what the tree does when a service ends after ready without having been asked to stop.
type OnCrash uint8

const (
	// Restart calls Serve again after a pause of 0, 0, 1, 2, 4, 8 and 16 s, and of 30 s after every later
	// crash. Ten minutes without a crash reset the sequence. A service that implements Pausing is notified.
	Restart OnCrash = iota
	// EndProcess does not restart the service and reports the failure on Tree.Failed: the process is useless
	// without the service.
	EndProcess
)

// Defaults of a Child that declares no deadline.
const (
	DefaultReadyWithin = 30 * time.Second
	DefaultStopWithin  = 10 * time.Second
)

// Child is a service and how the tree starts, restarts and stops it. A zero field has its default.
type Child struct {
	Service Service
	OnCrash OnCrash

	// ReadyWithin is how long Start waits for ready. ReadyCode is the code of the error when that time passes:
	// ErrStartTimeout, or the service's own, such as MODULE_START_TIMEOUT.
	ReadyWithin time.Duration
	ReadyCode   string

	// StopWithin is the grace of a stop. A service that drains declares the duration of its drain plus a margin.
	// When the grace passes, the error has StopCode in a regular stop and RollbackCode in the stop after a
	// failed start; a StopCode that the service itself returns is replaced in the same way. Both default to
	// ErrStopTimeout.
	StopWithin   time.Duration
	StopCode     string
	RollbackCode string
}

// withDefaults sets every zero field to its default.
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

package process

import "golang.org/x/sys/unix"

// What follows is for a trial of a module, which asks how it behaves when something goes wrong. The platform
// itself uses none of it.

// Kill kills the process of the current run, as the kernel does for want of memory. False: none is ready.
func (p *Process) Kill() bool {
	l := p.enter()
	if l == nil {
		return false
	}
	defer l.inFlight.Done()
	l.child.signal(unix.SIGKILL)
	return true
}

// HangUp closes both links of the current run and leaves the process alone, for Deadlines.Exit: a module
// whose host has gone ends by itself. False: none is ready.
func (p *Process) HangUp() bool {
	l := p.enter()
	if l == nil {
		return false
	}
	defer l.inFlight.Done()
	_ = l.child.moduleCalls.Close()
	_ = l.calls.Close()
	return true
}

// Unfinished returns how many calls of the current run were abandoned that the module has neither answered
// nor ended. False: none is ready.
func (p *Process) Unfinished() (calls int, ready bool) {
	l := p.enter()
	if l == nil {
		return 0, false
	}
	defer l.inFlight.Done()
	return l.calls.Abandoned(), true
}

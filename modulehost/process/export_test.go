package process

import (
	"strings"
	"time"
)

// What is below is for tests alone.

// WithSandboxReport lets a test remove parts of the sandbox that this kernel has.
func (c *Config) WithSandboxReport(alter func(*SandboxReport)) {
	c.inspect = func() SandboxReport {
		sandbox := InspectSandbox()
		alter(&sandbox)
		return sandbox
	}
}

// Call is a row of the filter's table.
type Call struct {
	Name        string
	Number      int // -1: absent
	ByArguments bool
	Refusal     uint32 // of a whole refusal
}

// Calls is the table for one architecture.
func Calls(goarch string) []Call {
	var table []Call
	for _, c := range syscallRules(1) {
		refusal := c.errno
		if refusal == 0 {
			refusal = 1 // EPERM
		}
		table = append(table, Call{c.name, c.number(goarch), c.only != nil, uint32(refusal)})
	}
	return table
}

// Drawing returns the users that a daemon with this random number and this user namespace draws.
func Drawing(seed [32]byte, uidMap, gidMap string) *Users {
	return newUsers(seed, strings.NewReader(uidMap), strings.NewReader(gidMap))
}

var (
	Filter            = filter
	UsableABI         = usableABI
	AuditArchitecture = auditArchitecture
)

const NewestCall = newestCall

// Sample is what a process has done with the CPU, by thread: how long it wanted the CPU and how often it
// slept.
func Sample(
	at time.Time, ran time.Duration, wanted map[string]time.Duration, sleeps map[string]int64,
) cpuSample {
	s := cpuSample{at: at, ran: ran}
	for id, long := range wanted {
		if s.threads == nil {
			s.threads = make(map[string]threadSample)
		}
		s.threads[id] = threadSample{wanted: long, sleeps: sleeps[id]}
	}
	return s
}

// BusySince compares two samples as the platform does.
func BusySince(now, before cpuSample) bool { return now.busySince(before) }

// WithPatience lets a test wait for fewer busy seconds than a minute.
func (p *Priorities) WithPatience(seconds int) { p.patience = min(p.patience, seconds) }

package process

import (
	"strings"
	"time"
)

// Everything below is only for tests.

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
	Refusal     uint32 // of a call that is always refused
}

// Calls returns the table for one architecture.
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

// Drawing returns the Users of a daemon with this seed in this user namespace.
func Drawing(seed [32]byte, uidMap, gidMap string) *Users {
	return newUsers(seed, strings.NewReader(uidMap), strings.NewReader(gidMap))
}

var (
	Filter            = filter
	UsableABI         = usableABI
	AuditArchitecture = auditArchitecture
)

const NewestCall = newestCall

// Sample returns a sample of the CPU use of a process. For each thread it has how long the thread wanted the
// CPU and how often it slept.
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

// BusySince compares two samples as Priorities does.
func BusySince(now, before cpuSample) bool { return now.busySince(before) }

// WithPatience sets a patience of fewer busy seconds than a minute.
func (p *Priorities) WithPatience(seconds int) { p.patience = min(p.patience, seconds) }

package process

import (
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process/launcher"
)

// What a module may use (measured: Go needs 48 MiB of data and 768 MiB of address space to start).
const (
	DefaultData         = 256 << 20 // bytes; what really bounds its memory
	DefaultAddressSpace = 1 << 30   // bytes; counts reservations too
	DefaultFiles        = 64 + bodySockets
	DefaultProcesses    = 64 // threads, when the module has a uid of its own

	// bodySockets are the descriptors 5 to 36 (docs/link.md), and inheritedBodies also the memory of lanes.
	bodySockets     = 32
	inheritedBodies = bodySockets + 1
	// sharedProcesses is the one ceiling of all modules that share a uid: the kernel counts the threads of the
	// uid.
	sharedProcesses = 4096
	// mostStack in bytes: it is not data and so has a limit of its own; what a unit's default is, and enough
	// for any runtime.
	mostStack = 8 << 20
	// mostThreads bounds GOMAXPROCS, so that a machine of many cores does not use up the thread limit.
	mostThreads = 8
	// inService is how many calls of one module the host serves at once (measured: held exactly).
	inService = 16
	// mostStuck calls that were abandoned and do not end are a module that is alive and stuck. A place for
	// each of 256 requests is free again when its call is abandoned, so without a bound the module would go on
	// to answer nothing for ever.
	mostStuck = 64
)

// niceness lets the platform's threads go before a module's where the kernel schedules thread by thread.
// Where it schedules by session (autogroup), it counts only within the module's session, and every module,
// leading a session of its own, has a share as large as the platform's, however many threads it spins on: a
// module beside three that spin keeps 82 % of its calls or more. Giving the session the niceness too was
// worse: beside thirty busy sessions of other programs the modules then got so little that their links were
// lost. Thread by thread it is Priorities that keeps modules from each other.
const niceness = 10

// Limits bound a child; a field of 0 takes its default.
type Limits struct {
	Data         uint64 // bytes, RLIMIT_DATA
	AddressSpace uint64 // bytes, RLIMIT_AS
	Files        uint64 // RLIMIT_NOFILE
	Processes    uint64 // RLIMIT_NPROC; root without a uid of its own is exempt
}

func (l Limits) withDefaults(own *Credential) Limits {
	setDefault(&l.Data, DefaultData)
	setDefault(&l.AddressSpace, DefaultAddressSpace)
	setDefault(&l.Files, DefaultFiles)
	if own != nil {
		setDefault(&l.Processes, DefaultProcesses)
	} else {
		setDefault(&l.Processes, belowHost(sharedProcesses))
	}
	return l
}

// belowHost keeps a shared ceiling under the host's own limit: modules at their ceiling then cannot keep
// the host from starting a thread, as the kernel compares the uid's count with the limit of the calling
// process.
func belowHost(ceiling uint64) uint64 {
	var host unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &host) != nil {
		return ceiling
	}
	return min(ceiling, host.Cur/4*3)
}

// rlimits are applied in this order by the launcher. The zeroes: no files, core dumps, locked memory,
// message queues. The one of RLIMIT_NICE is what lets a host without CAP_SYS_NICE give a lowered process its
// usual priority back.
func (l Limits) rlimits() []launcher.Limit {
	return []launcher.Limit{
		{Resource: unix.RLIMIT_DATA, Value: l.Data},
		{Resource: unix.RLIMIT_AS, Value: l.AddressSpace},
		{Resource: unix.RLIMIT_STACK, Value: mostStack},
		{Resource: unix.RLIMIT_NOFILE, Value: l.Files},
		{Resource: unix.RLIMIT_NPROC, Value: l.Processes},
		{Resource: unix.RLIMIT_FSIZE, Value: 0},
		{Resource: unix.RLIMIT_CORE, Value: 0},
		{Resource: unix.RLIMIT_MEMLOCK, Value: 0},
		{Resource: unix.RLIMIT_MSGQUEUE, Value: 0},
		{Resource: unix.RLIMIT_NICE, Value: min(niceLimit(), usualNiceLimit)},
		{Resource: unix.RLIMIT_RTPRIO, Value: 0},
		{Resource: unix.RLIMIT_SIGPENDING, Value: 64},
	}
}

// environment is all that a module finds in its own.
func (l Limits) environment() []string {
	return []string{
		"TZ=UTC",
		"GOTRACEBACK=single", // of a panic; only the operator and the author see what a module prints
		"GOMAXPROCS=" + strconv.Itoa(min(runtime.GOMAXPROCS(0), mostThreads)),
		"GOMEMLIMIT=" + strconv.FormatUint(l.Data/4*3, 10),
	}
}

// How long a module may take.
const (
	RegisterWithin  = 10 * time.Second // from the start of the process
	StartWithin     = 30 * time.Second
	StopWithin      = 10 * time.Second
	TerminateWithin = time.Second // from SIGTERM to SIGKILL
	PingEvery       = 10 * time.Second
	PingWithin      = 10 * time.Second
	StuckWithin     = 30 * time.Second // from when a call was abandoned, and told to cancel, to its end
	// ExitWithin is for a process whose link is lost because it dies: a kill from elsewhere closes its sockets
	// first.
	ExitWithin = 100 * time.Millisecond
)

// Deadlines bound every wait for a child; a field of 0 takes its default, the constant of like name.
type Deadlines struct {
	Register, Start, Stop, Terminate, PingEvery, Ping, Stuck, Exit time.Duration
}

func (d Deadlines) withDefaults() Deadlines {
	setDefault(&d.Register, RegisterWithin)
	setDefault(&d.Start, StartWithin)
	setDefault(&d.Stop, StopWithin)
	setDefault(&d.Terminate, TerminateWithin)
	setDefault(&d.PingEvery, PingEvery)
	setDefault(&d.Ping, PingWithin)
	setDefault(&d.Stuck, StuckWithin)
	setDefault(&d.Exit, ExitWithin)
	return d
}

func setDefault[T uint64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

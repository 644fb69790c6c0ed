package process

import (
	"runtime"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process/launcher"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The limits of a module. Go needs 48 MiB of data and 768 MiB of address space to start.
const (
	DefaultData         = 256 << 20          // bytes; the effective limit of its memory
	DefaultAddressSpace = 1 << 30            // bytes; counts reservations too
	DefaultFiles        = 64 + 2*bodySockets // the SDK opens a second one for a body that it waits for
	DefaultProcesses    = 64                 // threads, if the module has its own uid

	// bodySockets are descriptors 5 to 36 (docs/link.md); inheritedBodies also counts the memory of the lanes.
	bodySockets     = 32
	inheritedBodies = bodySockets + 1
	// sharedProcesses is the one limit for all modules that share a uid, because the kernel counts threads by
	// uid.
	sharedProcesses = 4096
	// mostStack, in bytes, is a limit of its own because a stack does not count as data. It is the default of
	// units and enough for any runtime.
	mostStack = 8 << 20
	// mostThreads bounds GOMAXPROCS, so that a machine with many cores does not use up the thread limit.
	mostThreads = 8
	// collectAfter is by how many percent a module's heap grows before Go's garbage collector runs. With the few
	// MiB that most modules use, Go's default of 100 took a fifth of the processor time of a page. An idle
	// module does not keep what this leaves: the collector runs every two minutes at least.
	collectAfter = 300
	// inService is how many calls of one module the host serves at once.
	inService = 16
	// mostStuck is how many abandoned calls that do not end make a module count as stuck. Each of the 256 slots
	// for requests is free again when its call is abandoned, so without this bound a module that never responds
	// would run for ever.
	mostStuck = 64
)

// niceness lets the platform's threads run before a module's where the kernel schedules thread by thread.
// Where it schedules by session (autogroup), niceness counts only within the module's session. Each module
// leads its own session and so has as large a share as the platform, however many threads it spins on. The
// session's niceness is not set: beside many busy sessions of other programs the modules would get so little
// CPU that their links are lost. Where threads are scheduled one by one, Priorities protects modules from
// each other.
const niceness = 10

// Limits bound a child; a field of 0 takes its default.
type Limits struct {
	Data         uint64 // bytes, RLIMIT_DATA
	AddressSpace uint64 // bytes, RLIMIT_AS
	Files        uint64 // RLIMIT_NOFILE
	Processes    uint64 // RLIMIT_NPROC; does not apply to root without its own uid
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

// belowHost keeps a shared limit below the host's own. The kernel compares the number of the uid's threads
// with the limit of the calling process, so modules at their limit then cannot prevent the host from starting
// a thread.
func belowHost(ceiling uint64) uint64 {
	var host unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &host) != nil {
		return ceiling
	}
	return min(ceiling, host.Cur/4*3)
}

// rlimits returns the limits in the order in which the child sets them. These are zero: written files,
// core dumps, locked memory, message queues. RLIMIT_NICE allows a host without CAP_SYS_NICE to restore the
// usual priority of a lowered process.
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

// environment returns the whole environment of a module.
func (l Limits) environment() []string {
	return []string{
		"TZ=UTC",
		"GOTRACEBACK=single", // of a panic; only the operator and the author can read it
		"GOMAXPROCS=" + strconv.Itoa(min(runtime.GOMAXPROCS(0), mostThreads)),
		"GOMEMLIMIT=" + strconv.FormatUint(l.Data/4*3, 10),
		"GOGC=" + strconv.Itoa(collectAfter),
	}
}

// exitWithin is how long the host waits for a process whose link is lost, because a process that is killed
// closes its sockets before it has exited.
const exitWithin = 100 * time.Millisecond

// Deadlines bound every wait for a child. A field of 0 means the deadline of the same name, for Exit
// exitWithin.
type Deadlines struct {
	Register, Start, Stop, Terminate, PingEvery, Ping, Stuck, Exit time.Duration
}

func (d Deadlines) withDefaults() Deadlines {
	setDefault(&d.Register, deadlines.Register)
	setDefault(&d.Start, deadlines.Start)
	setDefault(&d.Stop, deadlines.Stop)
	setDefault(&d.Terminate, deadlines.Terminate)
	setDefault(&d.PingEvery, deadlines.PingEvery)
	setDefault(&d.Ping, deadlines.Ping)
	setDefault(&d.Stuck, deadlines.Stuck)
	setDefault(&d.Exit, exitWithin)
	return d
}

func setDefault[T uint64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

package process_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// targets are what a module that attacks the platform tries to reach. Its uid may access all of them, so only
// the sandbox protects them.
type targets struct {
	Host, Sibling int // pids
	// the module's folder: notes.txt, which belongs to it, and out, a link to Elsewhere's secret.txt
	Own string
	// writable for everybody; contains secret.txt, script, and victim.txt, which belongs to the module's uid
	Elsewhere             string
	SiblingFile           string
	TCP, UDP              int // ports of 127.0.0.1
	Stream, Datagram      string
	Abstract              string
	HostNice, HostNumbers int // the host's current values, so that an allowed call changes nothing
}

// probe is one attempt. Without one of the parts marked below an unconfined module succeeds with it. Limits
// and the launcher's steps apply always.
type probe struct {
	name string
	try  func(targets) error
	also []unix.Errno // errors that also mean that the call was allowed

	landlock int  // the ABI that refuses it; 0: no ABI
	seccomp  bool // the filter refuses it
	ownUID   bool // a uid of its own prevents it
	hardened bool // a non-dumpable host prevents it
	limits   bool // a limit always refuses it
	varies   bool // some kernels refuse it without the sandbox
	needed   bool // not an attack: it must work inside the whole sandbox
}

const never = 99 // no ABI

const lanesDescriptor = 37 // the memory of lanes

var probes = []probe{
	{name: "read own file", needed: true,
		try: func(t targets) error { return read1(filepath.Join(t.Own, "notes.txt")) }},
	{name: "list own folder", needed: true, try: func(t targets) error { return list(t.Own) }},
	{name: "pair of streams", needed: true, try: func(targets) error { return pair(unix.SOCK_STREAM) }},
	{name: "signal itself", needed: true, try: func(targets) error { return unix.Kill(os.Getpid(), 0) }},
	{name: "map memory", needed: true, try: func(targets) error { return mapping(1<<20, unix.MAP_PRIVATE) }},
	{name: "start a thread", needed: true, try: func(targets) error { return inThread(0) }},

	{name: "host's environ", landlock: 1, ownUID: true, hardened: true,
		try: func(t targets) error { return read1(proc(t.Host, "environ")) }},
	{name: "host's mem", landlock: 1, ownUID: true, hardened: true,
		try: func(t targets) error { return open(proc(t.Host, "mem")) }},
	{name: "host's maps", landlock: 1, ownUID: true, hardened: true,
		try: func(t targets) error { return read1(proc(t.Host, "maps")) }},
	{name: "host's descriptors", landlock: 1, ownUID: true, hardened: true,
		try: func(t targets) error { return list(proc(t.Host, "fd")) }},
	{name: "ptrace host", landlock: 1, seccomp: true, ownUID: true, hardened: true, varies: true,
		try: func(t targets) error { return trace(t.Host) }},
	{name: "process_vm_readv host", landlock: 1, seccomp: true, ownUID: true, hardened: true, varies: true,
		also: []unix.Errno{unix.EFAULT}, try: func(t targets) error { return peek(t.Host) }},
	{name: "kcmp host", landlock: 1, seccomp: true, ownUID: true, hardened: true, varies: true,
		try: func(t targets) error {
			return call(unix.SYS_KCMP, uintptr(t.Host), uintptr(t.Host), 1)
		}},
	{name: "sibling's environ", landlock: 1, ownUID: true,
		try: func(t targets) error { return read1(proc(t.Sibling, "environ")) }},
	{name: "ptrace sibling", landlock: 1, seccomp: true, ownUID: true, varies: true,
		try: func(t targets) error { return trace(t.Sibling) }},
	{name: "process_vm_readv sibling", landlock: 1, seccomp: true, ownUID: true, varies: true,
		also: []unix.Errno{unix.EFAULT}, try: func(t targets) error { return peek(t.Sibling) }},

	{name: "read the machine's file", landlock: 1, try: func(targets) error { return read1("/etc/passwd") }},
	{name: "list the machine", landlock: 1, try: func(targets) error { return list("/") }},
	{name: "read /proc", landlock: 1, try: func(targets) error { return read1("/proc/1/stat") }},
	{name: "read another's file", landlock: 1,
		try: func(t targets) error { return read1(filepath.Join(t.Elsewhere, "secret.txt")) }},
	{name: "read sibling's file", landlock: 1, try: func(t targets) error { return read1(t.SiblingFile) }},
	{name: "follow own link out", landlock: 1,
		try: func(t targets) error { return read1(filepath.Join(t.Own, "out")) }},
	{name: "execute another's file", landlock: 1, also: []unix.Errno{unix.ENOEXEC}, try: func(t targets) error {
		return unix.Exec(filepath.Join(t.Elsewhere, "script"), nil, nil)
	}},

	{name: "create", landlock: 1, seccomp: true,
		try: func(t targets) error { return create(filepath.Join(t.Elsewhere, "created")) }},
	{name: "create in own folder", landlock: 1, seccomp: true,
		try: func(t targets) error { return create(filepath.Join(t.Own, "created")) }},
	{name: "write", landlock: 1, seccomp: true,
		try: func(t targets) error { return open(victim(t), unix.O_WRONLY) }},
	{name: "append", landlock: 1, seccomp: true,
		try: func(t targets) error { return open(victim(t), unix.O_WRONLY|unix.O_APPEND) }},
	{name: "truncate", landlock: 3, seccomp: true,
		try: func(t targets) error { return unix.Truncate(victim(t), 1) }},
	{name: "truncate by open", landlock: 3, seccomp: true,
		try: func(t targets) error { return open(filepath.Join(t.Own, "notes.txt"), unix.O_TRUNC) }},
	{name: "unlink", landlock: 1, seccomp: true,
		try: func(t targets) error { return unix.Unlink(filepath.Join(t.Elsewhere, "unlinked")) }},
	{name: "mkdir", landlock: 1, seccomp: true,
		try: func(t targets) error { return unix.Mkdir(filepath.Join(t.Elsewhere, "made"), 0o700) }},
	{name: "rmdir", landlock: 1, seccomp: true,
		try: func(t targets) error { return unix.Rmdir(filepath.Join(t.Elsewhere, "empty")) }},
	{name: "make a socket", landlock: 1, seccomp: true, try: func(t targets) error {
		return withSocket(unix.AF_UNIX, unix.SOCK_STREAM, 0, func(fd int) error {
			return unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(t.Elsewhere, "socket")})
		})
	}},
	{name: "rename", landlock: 1, seccomp: true, try: func(t targets) error {
		return unix.Rename(filepath.Join(t.Elsewhere, "renamed"), filepath.Join(t.Elsewhere, "renamed.too"))
	}},
	{name: "link", landlock: 1, seccomp: true,
		try: func(t targets) error { return unix.Link(victim(t), filepath.Join(t.Elsewhere, "linked")) }},
	{name: "symlink", landlock: 1, seccomp: true,
		try: func(t targets) error { return unix.Symlink("/", filepath.Join(t.Elsewhere, "symlinked")) }},
	{name: "mkfifo", landlock: 1, seccomp: true,
		try: func(t targets) error { return unix.Mkfifo(filepath.Join(t.Elsewhere, "fifo"), 0o600) }},
	{name: "chmod", landlock: never, seccomp: true,
		try: func(t targets) error { return unix.Chmod(victim(t), 0o644) }},
	{name: "fchmod of an own file", landlock: never, seccomp: true, try: func(t targets) error {
		return withFile(filepath.Join(t.Own, "notes.txt"), func(fd int) error { return unix.Fchmod(fd, 0o644) })
	}},
	{name: "chown", landlock: never, seccomp: true,
		try: func(t targets) error { return unix.Lchown(victim(t), os.Getuid(), -1) }},
	{name: "utimes", landlock: never, seccomp: true, try: func(t targets) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, victim(t), make([]unix.Timespec, 2), 0)
	}},
	{name: "setxattr", landlock: never, seccomp: true, also: []unix.Errno{unix.ENOTSUP},
		try: func(t targets) error {
			return unix.Setxattr(victim(t), "user.hostile", []byte("1"), 0)
		}},
	{name: "flags of a file by ioctl", landlock: never, seccomp: true, also: []unix.Errno{unix.ENOTTY},
		try: func(t targets) error {
			return withFile(filepath.Join(t.Own, "notes.txt"), func(fd int) error {
				flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
				if err != nil {
					return err
				}
				return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags)
			})
		}},
	{name: "lease on an own file", landlock: never, seccomp: true, try: func(t targets) error {
		return withFile(filepath.Join(t.Own, "notes.txt"), func(fd int) error {
			_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
			return err
		})
	}},

	{name: "TCP connect", landlock: 4, seccomp: true, try: func(t targets) error {
		return withSocket(unix.AF_INET, unix.SOCK_STREAM, 0,
			func(fd int) error { return unix.Connect(fd, loopback(t.TCP)) })
	}},
	{name: "TCP bind", landlock: 4, seccomp: true, try: func(targets) error {
		return withSocket(unix.AF_INET, unix.SOCK_STREAM, 0,
			func(fd int) error { return unix.Bind(fd, loopback(0)) })
	}},
	{name: "MPTCP connect", landlock: never, seccomp: true, varies: true, try: func(t targets) error {
		return withSocket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP,
			func(fd int) error { return unix.Connect(fd, loopback(t.TCP)) })
	}},
	{name: "listen without bind", landlock: never, seccomp: true, varies: true, try: func(targets) error {
		return withSocket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Listen(fd, 1) })
	}},
	{name: "UDP", landlock: 10, seccomp: true, try: func(t targets) error {
		return withSocket(unix.AF_INET, unix.SOCK_DGRAM, 0,
			func(fd int) error { return unix.Sendto(fd, []byte("x"), 0, loopback(t.UDP)) })
	}},
	{name: "netlink", landlock: never, seccomp: true, try: func(targets) error {
		return withSocket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE, func(int) error { return nil })
	}},
	{name: "vsock", landlock: never, seccomp: true, varies: true, try: func(targets) error {
		return withSocket(unix.AF_VSOCK, unix.SOCK_STREAM, 0, func(int) error { return nil })
	}},
	{name: "Unix socket by path", landlock: 9, seccomp: true, try: func(t targets) error {
		return withSocket(unix.AF_UNIX, unix.SOCK_STREAM, 0,
			func(fd int) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: t.Stream}) })
	}},
	{name: "abstract Unix socket", landlock: 6, seccomp: true, try: func(t targets) error {
		return withSocket(unix.AF_UNIX, unix.SOCK_STREAM, 0,
			func(fd int) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: t.Abstract}) })
	}},
	{name: "datagram from a pair to a path", landlock: 9, seccomp: true, try: func(t targets) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		defer closeAll(fds[:])
		return unix.Sendto(fds[0], []byte("x"), 0, &unix.SockaddrUnix{Name: t.Datagram})
	}},
	{name: "networks of the machine", landlock: never, seccomp: true, also: []unix.Errno{unix.EFAULT},
		try: func(targets) error {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if err != nil {
				return err
			}
			defer closeAll(fds[:])
			return call(unix.SYS_IOCTL, uintptr(fds[0]), unix.SIOCGIFCONF, 0)
		}},

	{name: "signal host", landlock: 6, seccomp: true, ownUID: true,
		try: func(t targets) error { return unix.Kill(t.Host, 0) }},
	{name: "signal host's thread", landlock: 6, seccomp: true, ownUID: true,
		try: func(t targets) error { return unix.Tgkill(t.Host, t.Host, 0) }},
	{name: "signal sibling", landlock: 6, seccomp: true, ownUID: true,
		try: func(t targets) error { return unix.Kill(t.Sibling, 0) }},
	{name: "signal host by pidfd", landlock: 6, seccomp: true, ownUID: true, try: func(t targets) error {
		fd, err := unix.PidfdOpen(t.Host, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	}},
	{name: "signal host by a descriptor", landlock: never, seccomp: true, try: func(t targets) error {
		return withPair(func(fd int) error {
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
				return err
			}
			_, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, t.Host)
			return err
		})
	}},
	{name: "own a descriptor by ioctl", landlock: never, seccomp: true, try: func(t targets) error {
		return withPair(func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x8901, t.Host) })
	}},
	{name: "prlimit on host", landlock: never, seccomp: true, ownUID: true, try: func(t targets) error {
		same := unix.Rlimit{Cur: uint64(t.HostNumbers), Max: uint64(t.HostNumbers)}
		return unix.Prlimit(t.Host, unix.RLIMIT_SIGPENDING, &same, nil)
	}},
	{name: "prlimit of itself", landlock: never, seccomp: true, try: func(targets) error {
		var now unix.Rlimit
		if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &now); err != nil {
			return nil // reading must work, so this counts as open
		}
		return unix.Prlimit(0, unix.RLIMIT_NOFILE, &now, nil)
	}},
	{name: "setpriority of host", landlock: never, seccomp: true, ownUID: true, try: func(t targets) error {
		return unix.Setpriority(unix.PRIO_PROCESS, t.Host, t.HostNice)
	}},
	{name: "affinity of host", landlock: never, seccomp: true, ownUID: true, try: func(t targets) error {
		var mask unix.CPUSet
		if err := unix.SchedGetaffinity(t.Host, &mask); err != nil {
			return err
		}
		return unix.SchedSetaffinity(t.Host, &mask)
	}},
	{name: "flush a whole disk", landlock: never, seccomp: true, also: []unix.Errno{unix.EBADF},
		try: func(targets) error { return unix.Syncfs(-1) }},

	{name: "SysV shared memory", landlock: never, seccomp: true, try: func(targets) error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
		if err == nil {
			_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
		return err
	}},
	{name: "memfd", landlock: never, seccomp: true, try: func(targets) error {
		fd, err := unix.MemfdCreate("x", 0)
		_ = unix.Close(fd)
		return err
	}},
	{name: "map the lanes", needed: true, try: func(targets) error {
		_, err := unix.Mmap(lanesDescriptor, 0, 8<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		return err
	}},
	// The lanes that the host has mapped must not become shorter or larger.
	{name: "cut the lanes short", limits: true,
		try: func(targets) error { return unix.Ftruncate(lanesDescriptor, 0) }},
	{name: "grow the lanes", limits: true,
		try: func(targets) error { return unix.Ftruncate(lanesDescriptor, 9<<20) }},
	{name: "grow the lanes as a file", limits: true,
		try: func(targets) error { return unix.Fallocate(lanesDescriptor, 0, 8<<20, 4096) }},
	{name: "seal the lanes", limits: true, try: func(targets) error {
		_, err := unix.FcntlInt(lanesDescriptor, unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
		return err
	}},
	{name: "run the lanes", limits: true, also: []unix.Errno{unix.ENOEXEC}, try: func(targets) error {
		noPath := new(byte)
		return call(unix.SYS_EXECVEAT, lanesDescriptor, uintptr(unsafe.Pointer(noPath)), 0, 0, unix.AT_EMPTY_PATH)
	}},
	{name: "shared anonymous memory", landlock: never, seccomp: true,
		try: func(targets) error { return mapping(1<<20, unix.MAP_SHARED) }},
	{name: "a stack of its own making", landlock: never, seccomp: true,
		try: func(targets) error { return mapping(1<<20, unix.MAP_PRIVATE|unix.MAP_GROWSDOWN) }},
	{name: "grow a mapping", landlock: never, seccomp: true, try: func(targets) error {
		memory, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ, unix.MAP_ANONYMOUS|unix.MAP_PRIVATE)
		if err == nil {
			_, err = unix.Mremap(memory, 1<<20, unix.MREMAP_MAYMOVE)
		}
		return err
	}},
	{name: "300 MiB of data", limits: true,
		try: func(targets) error { return mapping(300<<20, unix.MAP_PRIVATE) }},
	{name: "4 GiB", limits: true, try: func(targets) error {
		return mapping(4<<30,
			unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	}},
	{name: "asynchronous I/O", landlock: never, seccomp: true, varies: true, also: []unix.Errno{unix.EFAULT},
		try: func(targets) error {
			return call(unix.SYS_IO_SETUP, 1, 0)
		}},
	{name: "message queue", landlock: never, seccomp: true, varies: true, also: []unix.Errno{unix.EFAULT},
		try: func(targets) error {
			return call(unix.SYS_MQ_UNLINK, 0)
		}},
	{name: "session keyring", landlock: never, seccomp: true, varies: true, try: func(targets) error {
		_, err := unix.KeyctlJoinSessionKeyring("hostile")
		return err
	}},
	{name: "inotify", landlock: never, seccomp: true, try: func(targets) error {
		fd, err := unix.InotifyInit1(0)
		_ = unix.Close(fd)
		return err
	}},
	{name: "io_uring", landlock: never, seccomp: true, varies: true, also: []unix.Errno{unix.EFAULT},
		try: func(targets) error {
			return call(unix.SYS_IO_URING_SETUP, 1, 0)
		}},
	{name: "kernel's log", landlock: never, seccomp: true, varies: true,
		try: func(targets) error { return call(unix.SYS_SYSLOG, 10) }},
	{name: "fork", landlock: never, seccomp: true, try: func(targets) error { return fork() }},
	{name: "execute itself by fork", landlock: never, seccomp: true,
		try: func(targets) error { return spawn() }},
	{name: "clear the death signal", landlock: never, seccomp: true, try: func(targets) error {
		err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)
		_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
		return err
	}},
	{name: "unshare", landlock: never, seccomp: true,
		try: func(targets) error { return inThread(unix.CLONE_FS) }},
	{name: "personality", landlock: never, seccomp: true,
		try: func(targets) error { return call(unix.SYS_PERSONALITY, 0xffffffff) }},
}

// probing runs a probe in the module and returns "open" or the error's name.
func probing(body []byte) []byte {
	var request struct {
		Probe   string
		Targets targets
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return []byte(err.Error())
	}
	at := slices.IndexFunc(probes, func(p probe) bool { return p.name == request.Probe })
	if at < 0 {
		return []byte("no such probe")
	}
	err := probes[at].try(request.Targets)
	errno, _ := err.(unix.Errno)
	if err == nil || slices.Contains(probes[at].also, errno) {
		return []byte("open")
	}
	if errno == 0 {
		return []byte(err.Error())
	}
	return []byte(unix.ErrnoName(errno))
}

// notRefused returns the calls of the filter's table that the kernel did not refuse.
func notRefused() (names []byte) {
	for _, c := range process.Calls(runtime.GOARCH) {
		if c.Number < 0 || c.ByArguments {
			continue
		}
		const nothing = ^uintptr(0)
		if err := call(uintptr(c.Number), nothing, nothing, nothing, nothing, nothing,
			nothing); err != unix.Errno(c.Refusal) {
			names = append(names, c.Name+" "...)
		}
	}
	return names
}

func (r *runningProcess) probe(ctx context.Context, name string, t targets) (string, error) {
	body, err := json.Marshal(map[string]any{"Probe": name, "Targets": t})
	if err != nil {
		return "", err
	}
	response, err := r.handle(ctx, "/probe", body)
	return string(response), err
}

func victim(t targets) string { return filepath.Join(t.Elsewhere, "victim.txt") }

func proc(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

func call(number uintptr, arguments ...uintptr) error {
	a := append(arguments, make([]uintptr, 6)...)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func withFile(path string, use func(fd int) error, flags ...int) error {
	mode := unix.O_RDONLY
	for _, flag := range flags {
		mode |= flag
	}
	fd, err := unix.Open(path, mode|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return use(fd)
}

func open(path string, flags ...int) error {
	return withFile(path, func(int) error { return nil }, flags...)
}

func create(path string) error { return open(path, unix.O_WRONLY, unix.O_CREAT) }

func read1(path string) error {
	return withFile(path, func(fd int) error {
		_, err := unix.Read(fd, make([]byte, 1))
		return err
	})
}

func list(path string) error {
	return withFile(path, func(fd int) error {
		_, err := unix.ReadDirent(fd, make([]byte, 4096))
		return err
	}, unix.O_DIRECTORY)
}

func loopback(port int) unix.Sockaddr {
	return &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
}

func withSocket(domain, kind, protocol int, use func(fd int) error) error {
	fd, err := unix.Socket(domain, kind|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return use(fd)
}

func withPair(use func(fd int) error) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer closeAll(fds[:])
	return use(fds[0])
}

func pair(kind int) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	if err == nil {
		closeAll(fds[:])
	}
	return err
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

func mapping(size int, flags int) error {
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|flags)
	if err == nil {
		err = unix.Munmap(memory)
	}
	return err
}

func peek(pid int) error {
	local, remote := make([]byte, 8), unix.RemoteIovec{Base: 4096, Len: 8}
	vec := unix.Iovec{Base: &local[0]}
	vec.SetLen(8)
	_, err := unix.ProcessVMReadv(pid, []unix.Iovec{vec}, []unix.RemoteIovec{remote}, 0)
	return err
}

// trace uses PTRACE_SEIZE, which stops no thread, from a thread that exits; that ends the tracing.
func trace(pid int) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		result <- call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid))
	}()
	return <-result
}

// inThread calls unshare, unless the argument is 0, in a new thread, which then exits.
func inThread(unshare int) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unshare == 0 {
			result <- nil
			return
		}
		result <- unix.Unshare(unshare)
	}()
	return <-result
}

// fork starts one child, which exits at once and is reaped.
func fork() error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	return err
}

// spawn starts a process as os/exec does, with the only file that may be executed.
func spawn() error {
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"child-dies-at-once"}, &syscall.ProcAttr{})
	if err != nil {
		return err
	}
	_, err = unix.Wait4(pid, nil, 0, nil)
	return err
}

package process

import "golang.org/x/sys/unix"

// syscallRule is one system call that the filter refuses, always or unless its arguments pass. The kernel
// never changes its numbers. Both architectures are listed, so that both filters can be tested on either.
type syscallRule struct {
	name         string
	amd64, arm64 int
	only         []condition // the call is allowed if all are true; none: always refused
	errno        unix.Errno  // of a call that is always refused; 0: EPERM
}

const (
	// absent means that the architecture does not have the call.
	absent = -1
	// newestCall is the highest number that was considered, the same on both architectures. The filter treats
	// later calls as nonexistent.
	newestCall = 471
)

func (c syscallRule) number(goarch string) int {
	if goarch == "arm64" {
		return c.arm64
	}
	return c.amd64
}

// Flags of open that request more than reading. A temporary file's own flag is O_TMPFILE without O_DIRECTORY.
const (
	tmpfile    = unix.O_TMPFILE &^ unix.O_DIRECTORY
	moreToOpen = unix.O_ACCMODE | unix.O_CREAT | unix.O_TRUNC | unix.O_APPEND | tmpfile
)

// Constants that x/sys lacks.
const (
	kindOfSocket = 0xf // SOCK_TYPE_MASK: the rest of a socket's type are flags

	fionbio  = 0x5421
	fionclex = 0x5450
	fioclex  = 0x5451
)

// syscallRules returns the table for the process pid.
func syscallRules(pid int) []syscallRule {
	is := func(word uint32, values ...uint32) condition {
		return condition{word: word, mask: whole, values: values}
	}
	isNot := func(word uint32, values ...uint32) condition {
		return condition{word: word, mask: whole, not: true, values: values}
	}
	own := []condition{is(low(0), uint32(pid))}
	return []syscallRule{
		// Allowed by their arguments. The flags of clone3 and openat2 are behind a pointer, which no filter can
		// follow, so both are refused and runtimes use the older calls.
		{name: "clone", amd64: 56, arm64: 220, only: []condition{
			{word: low(0), mask: unix.CLONE_THREAD, values: []uint32{unix.CLONE_THREAD}},
		}},
		{name: "clone3", amd64: 435, arm64: 435, errno: unix.ENOSYS},
		{name: "open", amd64: 2, arm64: absent,
			only: []condition{{word: low(1), mask: moreToOpen, values: []uint32{unix.O_RDONLY}}}},
		{name: "openat", amd64: 257, arm64: 56,
			only: []condition{{word: low(2), mask: moreToOpen, values: []uint32{unix.O_RDONLY}}}},
		{name: "openat2", amd64: 437, arm64: 437, errno: unix.ENOSYS},
		{name: "mmap", amd64: 9, arm64: 222, only: []condition{
			// Neither shared anonymous memory nor a stack that the program makes itself counts as data, the limit on
			// memory: a module could have many times its limit of either.
			{word: low(3), mask: unix.MAP_SHARED | unix.MAP_ANONYMOUS, not: true,
				values: []uint32{unix.MAP_SHARED | unix.MAP_ANONYMOUS}},
			{word: low(3), mask: unix.MAP_GROWSDOWN, values: []uint32{0}},
		}},
		{name: "kill", amd64: 62, arm64: 129, only: own},
		{name: "tgkill", amd64: 234, arm64: 131, only: own},
		{name: "prlimit64", amd64: 302, arm64: 261,
			only: []condition{is(low(0), 0), is(low(2), 0), is(high(2), 0)}},
		{name: "prctl", amd64: 157, arm64: 167, only: []condition{
			isNot(low(0), unix.PR_SET_PDEATHSIG, unix.PR_SET_MM, unix.PR_SCHED_CORE),
		}},
		// A descriptor's signal may be SIGKILL, and its owner any process of the same uid. A lease blocks other
		// processes that open the file.
		{name: "fcntl", amd64: 72, arm64: 25, only: []condition{
			isNot(low(1), unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG, unix.F_SETLEASE, unix.F_NOTIFY),
		}},
		// The other requests of ioctl also set owners, change files and list the machine's networks.
		{name: "ioctl", amd64: 16, arm64: 29, only: []condition{
			is(low(1), unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, fionbio, fioclex, fionclex),
		}},
		// A pair of datagram sockets can send to any path: to the journal, to the service manager.
		{name: "socketpair", amd64: 53, arm64: 199, only: []condition{
			is(low(0), unix.AF_UNIX),
			{word: low(1), mask: kindOfSocket, values: []uint32{unix.SOCK_STREAM}},
		}},

		// Sockets.
		{name: "socket", amd64: 41, arm64: 198},
		{name: "bind", amd64: 49, arm64: 200},
		{name: "connect", amd64: 42, arm64: 203},
		{name: "listen", amd64: 50, arm64: 201},
		// Processes, and everything that affects another one.
		{name: "fork", amd64: 57, arm64: absent},
		{name: "vfork", amd64: 58, arm64: absent},
		{name: "ptrace", amd64: 101, arm64: 117},
		{name: "process_vm_readv", amd64: 310, arm64: 270},
		{name: "process_vm_writev", amd64: 311, arm64: 271},
		{name: "process_madvise", amd64: 440, arm64: 440},
		{name: "process_mrelease", amd64: 448, arm64: 448},
		{name: "kcmp", amd64: 312, arm64: 272},
		{name: "pidfd_open", amd64: 434, arm64: 434},
		{name: "pidfd_getfd", amd64: 438, arm64: 438},
		{name: "pidfd_send_signal", amd64: 424, arm64: 424},
		{name: "migrate_pages", amd64: 256, arm64: 238},
		{name: "move_pages", amd64: 279, arm64: 239},
		{name: "rt_sigqueueinfo", amd64: 129, arm64: 138},
		{name: "rt_tgsigqueueinfo", amd64: 297, arm64: 240},
		{name: "tkill", amd64: 200, arm64: 130},
		// Calls that slow other processes down.
		{name: "setpriority", amd64: 141, arm64: 140},
		{name: "ioprio_set", amd64: 251, arm64: 30},
		{name: "sched_setaffinity", amd64: 203, arm64: 122},
		{name: "sched_setattr", amd64: 314, arm64: 274},
		{name: "sched_setparam", amd64: 142, arm64: 118},
		{name: "sched_setscheduler", amd64: 144, arm64: 119},
		{name: "sync", amd64: 162, arm64: 81},
		{name: "syncfs", amd64: 306, arm64: 267},
		// Everything that changes a path, in all variants.
		{name: "creat", amd64: 85, arm64: absent},
		{name: "mkdir", amd64: 83, arm64: absent},
		{name: "mkdirat", amd64: 258, arm64: 34},
		{name: "mknod", amd64: 133, arm64: absent},
		{name: "mknodat", amd64: 259, arm64: 33},
		{name: "link", amd64: 86, arm64: absent},
		{name: "linkat", amd64: 265, arm64: 37},
		{name: "symlink", amd64: 88, arm64: absent},
		{name: "symlinkat", amd64: 266, arm64: 36},
		{name: "unlink", amd64: 87, arm64: absent},
		{name: "unlinkat", amd64: 263, arm64: 35},
		{name: "rmdir", amd64: 84, arm64: absent},
		{name: "rename", amd64: 82, arm64: absent},
		{name: "renameat", amd64: 264, arm64: 38},
		{name: "renameat2", amd64: 316, arm64: 276},
		{name: "truncate", amd64: 76, arm64: 45},
		{name: "ftruncate", amd64: 77, arm64: 46},
		{name: "chmod", amd64: 90, arm64: absent},
		{name: "fchmod", amd64: 91, arm64: 52},
		{name: "fchmodat", amd64: 268, arm64: 53},
		{name: "fchmodat2", amd64: 452, arm64: 452},
		{name: "chown", amd64: 92, arm64: absent},
		{name: "fchown", amd64: 93, arm64: 55},
		{name: "lchown", amd64: 94, arm64: absent},
		{name: "fchownat", amd64: 260, arm64: 54},
		{name: "utime", amd64: 132, arm64: absent},
		{name: "utimes", amd64: 235, arm64: absent},
		{name: "utimensat", amd64: 280, arm64: 88},
		{name: "futimesat", amd64: 261, arm64: absent},
		{name: "setxattr", amd64: 188, arm64: 5},
		{name: "lsetxattr", amd64: 189, arm64: 6},
		{name: "fsetxattr", amd64: 190, arm64: 7},
		{name: "setxattrat", amd64: 463, arm64: 463},
		{name: "removexattr", amd64: 197, arm64: 14},
		{name: "lremovexattr", amd64: 198, arm64: 15},
		{name: "fremovexattr", amd64: 199, arm64: 16},
		{name: "removexattrat", amd64: 466, arm64: 466},
		{name: "file_setattr", amd64: 469, arm64: 469},
		// Memory and messages that no limit counts or that outlive the process. Memory that mremap turns into a
		// stack counts as one, however large.
		{name: "mremap", amd64: 25, arm64: 216},
		{name: "map_shadow_stack", amd64: 453, arm64: 453},
		{name: "shmget", amd64: 29, arm64: 194},
		{name: "shmat", amd64: 30, arm64: 196},
		{name: "shmdt", amd64: 67, arm64: 197},
		{name: "shmctl", amd64: 31, arm64: 195},
		{name: "semget", amd64: 64, arm64: 190},
		{name: "semop", amd64: 65, arm64: 193},
		{name: "semtimedop", amd64: 220, arm64: 192},
		{name: "semctl", amd64: 66, arm64: 191},
		{name: "msgget", amd64: 68, arm64: 186},
		{name: "msgsnd", amd64: 69, arm64: 189},
		{name: "msgrcv", amd64: 70, arm64: 188},
		{name: "msgctl", amd64: 71, arm64: 187},
		{name: "mq_open", amd64: 240, arm64: 180},
		{name: "mq_unlink", amd64: 241, arm64: 181},
		{name: "memfd_create", amd64: 319, arm64: 279},
		{name: "memfd_secret", amd64: 447, arm64: 447},
		{name: "vmsplice", amd64: 278, arm64: 75},
		{name: "add_key", amd64: 248, arm64: 217},
		{name: "request_key", amd64: 249, arm64: 218},
		{name: "keyctl", amd64: 250, arm64: 219},
		// Watching files and other processes.
		{name: "inotify_init", amd64: 253, arm64: absent},
		{name: "inotify_init1", amd64: 294, arm64: 26},
		{name: "inotify_add_watch", amd64: 254, arm64: 27},
		{name: "inotify_rm_watch", amd64: 255, arm64: 28},
		{name: "fanotify_init", amd64: 300, arm64: 262},
		{name: "fanotify_mark", amd64: 301, arm64: 263},
		{name: "perf_event_open", amd64: 298, arm64: 241},
		{name: "syslog", amd64: 103, arm64: 116},
		// Large attack surfaces of the kernel.
		{name: "io_uring_setup", amd64: 425, arm64: 425},
		{name: "io_uring_enter", amd64: 426, arm64: 426},
		{name: "io_uring_register", amd64: 427, arm64: 427},
		{name: "io_setup", amd64: 206, arm64: 0},
		{name: "bpf", amd64: 321, arm64: 280},
		{name: "userfaultfd", amd64: 323, arm64: 282},
		// Namespaces and mounts.
		{name: "unshare", amd64: 272, arm64: 97},
		{name: "setns", amd64: 308, arm64: 268},
		{name: "mount", amd64: 165, arm64: 40},
		{name: "umount2", amd64: 166, arm64: 39},
		{name: "move_mount", amd64: 429, arm64: 429},
		{name: "open_tree", amd64: 428, arm64: 428},
		{name: "open_tree_attr", amd64: 467, arm64: 467},
		{name: "fsopen", amd64: 430, arm64: 430},
		{name: "fsconfig", amd64: 431, arm64: 431},
		{name: "fsmount", amd64: 432, arm64: 432},
		{name: "fspick", amd64: 433, arm64: 433},
		{name: "mount_setattr", amd64: 442, arm64: 442},
		{name: "statmount", amd64: 457, arm64: 457},
		{name: "listmount", amd64: 458, arm64: 458},
		{name: "listns", amd64: 470, arm64: 470},
		{name: "chroot", amd64: 161, arm64: 51},
		{name: "pivot_root", amd64: 155, arm64: 41},
		{name: "open_by_handle_at", amd64: 304, arm64: 265},
		{name: "name_to_handle_at", amd64: 303, arm64: 264},
		// The machine itself.
		{name: "init_module", amd64: 175, arm64: 105},
		{name: "finit_module", amd64: 313, arm64: 273},
		{name: "delete_module", amd64: 176, arm64: 106},
		{name: "kexec_load", amd64: 246, arm64: 104},
		{name: "kexec_file_load", amd64: 320, arm64: 294},
		{name: "reboot", amd64: 169, arm64: 142},
		{name: "swapon", amd64: 167, arm64: 224},
		{name: "swapoff", amd64: 168, arm64: 225},
		{name: "acct", amd64: 163, arm64: 89},
		{name: "quotactl", amd64: 179, arm64: 60},
		{name: "quotactl_fd", amd64: 443, arm64: 443},
		{name: "iopl", amd64: 172, arm64: absent},
		{name: "ioperm", amd64: 173, arm64: absent},
		{name: "modify_ldt", amd64: 154, arm64: absent},
		{name: "personality", amd64: 135, arm64: 92},
		{name: "settimeofday", amd64: 164, arm64: 170},
		{name: "adjtimex", amd64: 159, arm64: 171},
		{name: "clock_settime", amd64: 227, arm64: 112},
		{name: "clock_adjtime", amd64: 305, arm64: 266},
		{name: "sethostname", amd64: 170, arm64: 161},
		{name: "setdomainname", amd64: 171, arm64: 162},
	}
}

package process_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
)

var filtered = []string{"amd64", "arm64"}

const ownPID = 4711

// verdict evaluates the filter as the kernel does.
func verdict(
	t *testing.T, program []unix.SockFilter, architecture, number uint32, arguments ...uint64,
) string {
	t.Helper()
	data := make([]byte, 64)
	binary.LittleEndian.PutUint32(data, number)
	binary.LittleEndian.PutUint32(data[4:], architecture)
	for i, a := range arguments {
		binary.LittleEndian.PutUint64(data[16+8*i:], a)
	}
	var a uint32
	for at := 0; at < len(program); at++ {
		branch := func(yes bool) {
			if yes {
				at += int(program[at].Jt)
			} else {
				at += int(program[at].Jf)
			}
		}
		switch i := program[at]; i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = binary.LittleEndian.Uint32(data[i.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= i.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			branch(a == i.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			branch(a >= i.K)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			branch(a > i.K)
		case unix.BPF_RET | unix.BPF_K:
			switch i.K {
			case unix.SECCOMP_RET_ALLOW:
				return "allow"
			case unix.SECCOMP_RET_KILL_PROCESS:
				return "kill"
			}
			if i.K&unix.SECCOMP_RET_ACTION_FULL != unix.SECCOMP_RET_ERRNO {
				t.Fatalf("the filter's verdict is %#x, want allow, kill or an errno", i.K)
			}
			return unix.ErrnoName(unix.Errno(i.K & unix.SECCOMP_RET_DATA))
		default:
			t.Fatalf("instruction %d: code %#x", at, i.Code)
		}
	}
	t.Fatal("the program has no end")
	return ""
}

// systemCalls returns the kernel's numbers by name, from the headers in x/sys.
func systemCalls(t *testing.T, goarch string) map[string]int {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "unix",
		"zsysnum_linux_"+goarch+".go"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int{}
	for _, m := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(source), -1) {
		numbers[strings.ToLower(m[1])], _ = strconv.Atoi(m[2])
	}
	if len(numbers) < 300 {
		t.Fatal(len(numbers), "system calls")
	}
	return numbers
}

// TestEverySystemCallIsJudged checks that every system call of x/sys is in the table or in
// testdata/allowed.txt, and that the filter allows or refuses it accordingly. The test fails for a call that
// a newer x/sys adds, until somebody has decided about it.
func TestEverySystemCallIsJudged(t *testing.T) {
	list, err := os.ReadFile("testdata/allowed.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.Fields(string(list))
	known := map[string]bool{}
	for _, goarch := range filtered {
		program := process.Filter(goarch, ownPID)
		architecture := process.AuditArchitecture(goarch)
		numbers := systemCalls(t, goarch)
		for _, c := range process.Calls(goarch) {
			number, exists := numbers[c.Name]
			if !exists {
				number = -1
			}
			if c.Number != number || slices.Contains(allowed, c.Name) {
				t.Errorf("%s %s: number %d, want %d, or it is allowed too", goarch, c.Name, c.Number, number)
			}
			if want := unix.ErrnoName(unix.Errno(c.Refusal)); exists && !c.ByArguments {
				if got := verdict(t, program, architecture, uint32(number)); got != want {
					t.Errorf("%s %s: %s, want %s", goarch, c.Name, got, want)
				}
			}
			known[c.Name] = true
			delete(numbers, c.Name)
		}
		for name, number := range numbers {
			known[name] = true
			if number > process.NewestCall || !slices.Contains(allowed, name) ||
				verdict(t, program, architecture, uint32(number)) != "allow" {
				t.Errorf("%s: nobody has judged %s, %d", goarch, name, number)
			}
		}
		if len(program) > 300 {
			t.Errorf("the filter of %s has %d instructions, want at most 300", goarch, len(program))
		}
	}
	for _, name := range allowed {
		if !known[name] {
			t.Errorf("allowed.txt: %s is no system call", name)
		}
	}
}

func TestFilterByArchitecture(t *testing.T) {
	for _, goarch := range filtered {
		program, own := process.Filter(goarch, ownPID), process.AuditArchitecture(goarch)
		for _, row := range []struct {
			architecture, number uint32
			want                 string
		}{
			{own, 3, "allow"},
			{unix.AUDIT_ARCH_I386, 3, "kill"}, // int 0x80 from 64-bit code
			{unix.AUDIT_ARCH_ARM, 3, "kill"},
			{unix.AUDIT_ARCH_X86_64 ^ unix.AUDIT_ARCH_AARCH64 ^ own, 3, "kill"},
			{own, process.NewestCall, "allow"},
			{own, process.NewestCall + 1, "ENOSYS"},
			{own, 0x3fffffff, "ENOSYS"},
			{own, 0x40000000, "kill"}, // x32
			{own, 0x40000029, "kill"},
			{own, 0xffffffff, "kill"},
		} {
			if got := verdict(t, program, row.architecture, row.number); got != row.want {
				t.Errorf("%s: architecture %#x, call %#x: %s, want %s", goarch, row.architecture, row.number, got,
					row.want)
			}
		}
	}
	if process.AuditArchitecture("riscv64") != 0 {
		t.Error("a filter without a table")
	}
}

func TestFilterByArguments(t *testing.T) {
	const (
		junk   = 0xdeadbeef << 32 // the kernel ignores the upper half of an int
		thread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND |
			unix.CLONE_SYSVSEM | unix.CLONE_THREAD
		anonymous = unix.MAP_ANONYMOUS | unix.MAP_PRIVATE
		cwd       = 0xffffffffffffff9c
	)
	type rows = map[string][][]uint64
	judged := map[string]bool{}
	for want, calls := range map[string]rows{
		"allow": {
			"clone": {{thread}, {thread | junk}},
			"open": {{1, 0}, {1, unix.O_CLOEXEC | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK},
				{1, unix.O_PATH}, {1, junk}},
			"openat": {{cwd, 1, 0}, {cwd, 1, unix.O_CLOEXEC | unix.O_DIRECTORY}, {cwd, 1, unix.O_PATH}},
			"mmap": {{0, 4096, 3, anonymous}, {0, 4096, 0, anonymous | unix.MAP_NORESERVE | unix.MAP_STACK},
				{0, 4096, 1, unix.MAP_SHARED, 3}},
			"kill":      {{ownPID, 9}, {ownPID | junk, 9}},
			"tgkill":    {{ownPID, 4712, 23}},
			"prlimit64": {{0, 7, 0, 1 << 40}, {junk, 7, 0, 8}},
			"prctl":     {{unix.PR_SET_NAME}, {unix.PR_SET_VMA}, {unix.PR_GET_DUMPABLE}, {unix.PR_SET_NO_NEW_PRIVS}},
			"fcntl": {{5, unix.F_GETFL}, {5, unix.F_SETFL, unix.O_NONBLOCK}, {5, unix.F_DUPFD_CLOEXEC},
				{5, unix.F_SETFD}},
			"ioctl": {{0, unix.TCGETS}, {0, unix.TIOCGWINSZ}, {5, unix.TIOCINQ}, {5, 0x5421}, {5, 0x5450},
				{5, 0x5451}},
			"socketpair": {{unix.AF_UNIX, unix.SOCK_STREAM},
				{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK}},
		},
		"EPERM": {
			"clone": {{0}, {uint64(unix.SIGCHLD)}, {thread &^ unix.CLONE_THREAD}, {unix.CLONE_VFORK | unix.CLONE_VM},
				{unix.CLONE_NEWUSER}, {unix.CLONE_THREAD << 32}},
			"open": {{1, unix.O_WRONLY}, {1, unix.O_RDWR}, {1, 3}, {1, unix.O_CREAT}, {1, unix.O_TRUNC},
				{1, unix.O_APPEND}, {1, unix.O_TMPFILE}, {1, 0x400000},
				{1, unix.O_RDWR | unix.O_CLOEXEC | junk}},
			"openat": {{cwd, 1, unix.O_WRONLY}, {cwd, 1, unix.O_RDWR}, {cwd, 1, 3}, {cwd, 1, unix.O_CREAT},
				{cwd, 1, unix.O_TRUNC},
				{cwd, 1, unix.O_APPEND}, {cwd, 1, 0x400000}},
			"mmap": {{0, 4096, 3, unix.MAP_SHARED | unix.MAP_ANONYMOUS},
				{0, 4096, 3, unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS},
				{0, 4096, 3, unix.MAP_SHARED | unix.MAP_ANONYMOUS | unix.MAP_HUGETLB},
				{0, 4096, 0, anonymous | unix.MAP_GROWSDOWN}},
			"kill": {{ownPID + 1, 0}, {0, 9}, {^uint64(0), 9}, {1, 9}, {uint64(1<<64 - ownPID), 9},
				{1 | ownPID<<32, 9}},
			"tgkill": {{ownPID + 1, ownPID, 9}, {0, 0, 0}},
			"prlimit64": {{ownPID, 7, 0, 8}, {1, 7, 0, 8}, {0, 7, 8, 0}, {0, 7, 1 << 32, 0},
				{0, 7, 0xffffffff00000000, 0}},
			"prctl": {{unix.PR_SET_PDEATHSIG}, {unix.PR_SET_MM}, {unix.PR_SCHED_CORE},
				{unix.PR_SET_PDEATHSIG | junk}},
			"fcntl": {{5, unix.F_SETOWN}, {5, unix.F_SETOWN_EX}, {5, unix.F_SETSIG}, {5, unix.F_SETLEASE},
				{5, unix.F_NOTIFY}, {5, unix.F_SETOWN | junk}},
			"ioctl": {{5, 0x8901}, {5, 0x8902}, {5, 0x8912}, {0, 0x5412}, {5, 0x40086602}, {5, 0x401c5820},
				{5, 0x8912 | junk}},
			"socketpair": {{unix.AF_UNIX, unix.SOCK_DGRAM}, {unix.AF_UNIX, unix.SOCK_RAW},
				{unix.AF_UNIX, unix.SOCK_SEQPACKET}, {unix.AF_TIPC, unix.SOCK_STREAM}},
		},
	} {
		for name, tuples := range calls {
			judged[want+" "+name] = true
			for _, goarch := range filtered {
				program := process.Filter(goarch, ownPID)
				for _, c := range process.Calls(goarch) {
					if c.Name != name || c.Number < 0 {
						continue
					}
					for _, arguments := range tuples {
						if got := verdict(t, program, process.AuditArchitecture(goarch), uint32(c.Number),
							arguments...); got != want {
							t.Errorf("%s %s%#x: %s, want %s", goarch, name, arguments, got, want)
						}
					}
				}
			}
		}
	}
	for _, c := range process.Calls("amd64") {
		if c.ByArguments && (!judged["allow "+c.Name] || !judged["EPERM "+c.Name]) {
			t.Error("no rows for", c.Name)
		}
	}
}

func TestStepDownToAnABIThatWorks(t *testing.T) {
	for _, row := range []struct {
		version, works int
		otherwise      error
		want           int
	}{
		{7, 7, unix.EINVAL, 7},
		{6, 5, unix.EINVAL, 5}, // reports 6 and cannot scope signals
		{4, 1, unix.EINVAL, 1},
		{4, 0, unix.EINVAL, 0},
		{4, 2, unix.EPERM, 0}, // refuses the query
		{0, 0, nil, 0},
	} {
		got := process.UsableABI(row.version, func(abi int) error {
			if abi > row.works {
				return row.otherwise
			}
			return nil
		})
		if got != row.want {
			t.Errorf("process.UsableABI: got %v, want %v; sprint %v", got, row.want, fmt.Sprint(row))
		}
	}
}

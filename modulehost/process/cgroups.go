package process

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Cgroups gives each module its own control group below the one that was delegated to this process (systemd:
// Delegate=). In addition to a process's limits, a group counts the kernel memory that a module causes
// (sockets, files), counts the module's threads alone even if modules share a user, and gives it a share of
// the CPU that does not grow with its threads. Without delegation there are no groups, and everything else
// stays the same.
type Cgroups struct {
	folder string // the delegated group
	cpu    bool
}

const (
	cgroupMount   = "/sys/fs/cgroup"
	platformGroup = "platform" // of this process: a limiting group may contain none
	modulePrefix  = "module-"

	// beyondData is how much memory, in bytes, a module's group may use in addition to its data: for stacks,
	// files and the kernel.
	beyondData = 64 << 20
	// platformWeight is the platform's share of the CPU when all processes want it; a module's is 100.
	platformWeight = "1000"
)

// NewCgroups moves this process into a group below its own, if that group was delegated; otherwise it returns
// nil. Call it before the first module starts.
func NewCgroups() *Cgroups {
	own := ownCgroup("/proc/self/cgroup")
	if own == "" {
		return nil
	}
	if Bounded(own) { // by an earlier call
		return openCgroups(filepath.Dir(own))
	}
	return newCgroups(own)
}

// Bounded reports whether this is the group into which NewCgroups moves the platform, so that modules have
// groups.
func Bounded(group string) bool { return filepath.Base(group) == platformGroup }

// ownCgroup returns the folder of the group that a file of /proc names; "" without control groups version 2.
func ownCgroup(file string) string {
	var system unix.Statfs_t
	if unix.Statfs(cgroupMount, &system) != nil || system.Type != unix.CGROUP2_SUPER_MAGIC {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if path, found := strings.CutPrefix(line, "0::"); found {
			return filepath.Join(cgroupMount, strings.TrimSuffix(path, "\n"))
		}
	}
	return ""
}

// CgroupOf returns the folder of a process's group; "" if it has none of version 2 or has ended.
func CgroupOf(pid int) string { return ownCgroup("/proc/" + strconv.Itoa(pid) + "/cgroup") }

// newCgroups uses a group in which this process is alone, because then it was delegated to this process. If
// that fails, it undoes its changes.
func newCgroups(own string) *Cgroups {
	pid := strconv.Itoa(os.Getpid())
	if !slices.Equal(words(own, "cgroup.procs"), []string{pid}) {
		return nil
	}
	offered := words(own, "cgroup.controllers")
	enable := "+memory +pids"
	if !slices.Contains(offered, "memory") || !slices.Contains(offered, "pids") {
		return nil
	}
	if slices.Contains(offered, "cpu") {
		enable += " +cpu"
	}
	platform := filepath.Join(own, platformGroup)
	if err := os.Mkdir(platform, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil
	}
	err := set(platform, "cgroup.procs", pid)
	if err == nil {
		err = set(own, "cgroup.subtree_control", enable)
	}
	if err != nil {
		_ = set(own, "cgroup.procs", pid)
		_ = os.Remove(platform)
		return nil
	}
	_ = set(platform, "cpu.weight", platformWeight)
	return openCgroups(own)
}

func openCgroups(folder string) *Cgroups {
	return &Cgroups{folder: folder, cpu: slices.Contains(words(folder, "cgroup.subtree_control"), "cpu")}
}

// cgroup is the group of one module, from before a run's start until after its end.
type cgroup struct {
	folder string
	killed int // processes that the kernel had killed for lack of memory before this run
}

// open creates a module's group. For a nil Cgroups it returns nil.
func (c *Cgroups) open(module string, limits Limits) (*cgroup, error) {
	if c == nil {
		return nil, nil
	}
	folder := filepath.Join(c.folder, modulePrefix+module)
	if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	g := &cgroup{folder: folder}
	g.killed = g.memoryKills()
	settings := []struct{ file, value string }{
		{"memory.max", strconv.FormatUint(limits.Data+beyondData, 10)},
		{"memory.oom.group", "1"},
		{"pids.max", strconv.Itoa(DefaultProcesses)},
	}
	if c.cpu {
		settings = append(settings, struct{ file, value string }{"cpu.weight", "100"})
	}
	for _, s := range settings {
		if err := set(folder, s.file, s.value); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// entrance returns the file to which the launcher writes to enter the group. The kernel checks the
// permissions of the process that opened the file, so the host opens it.
func (g *cgroup) entrance(d *descriptors) (*os.File, error) {
	if g == nil {
		return nil, nil
	}
	return d.open(filepath.Join(g.folder, "cgroup.procs"), unix.O_WRONLY)
}

// close kills the processes that are left in the group, and removes the group if the kernel allows that
// already. Otherwise the next run uses it again.
func (g *cgroup) close() {
	if g == nil {
		return
	}
	_ = set(g.folder, "cgroup.kill", "1")
	_ = os.Remove(g.folder)
}

// overMemory reports whether the kernel has killed the run because of the group's memory limit.
func (g *cgroup) overMemory() bool { return g != nil && g.memoryKills() > g.killed }

func (g *cgroup) memoryKills() int {
	fields := words(g.folder, "memory.events")
	at := slices.Index(fields, "oom_kill")
	if at < 0 || at+1 == len(fields) {
		return 0
	}
	n, _ := strconv.Atoi(fields[at+1])
	return n
}

func words(folder, file string) []string {
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text))
}

func set(folder, file, value string) error {
	return os.WriteFile(filepath.Join(folder, file), []byte(value), 0)
}

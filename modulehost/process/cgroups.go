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

// Cgroups gives each module a control group of its own below the one that was delegated to this process
// (systemd: Delegate=). What it adds to the limits of a process: the kernel's own memory that a module causes
// (sockets, files), threads counted for it alone although modules share a user, and a share of the CPU that
// does not grow with its threads. Without delegation there are none, and nothing else changes.
type Cgroups struct {
	folder string // the delegated group
	cpu    bool
}

const (
	cgroupMount   = "/sys/fs/cgroup"
	platformGroup = "platform" // where this process goes: a group with limits for others holds no process itself
	modulePrefix  = "module-"

	// beyondData is what a module's group may use in addition to its data: stacks, files, the kernel's own.
	beyondData = 64 << 20
	// platformWeight is the platform's share of a CPU that all want, where a module's is 100.
	platformWeight = "1000"
)

// NewCgroups moves this process into a group below its own, if that was delegated, and returns nil if not.
// It is called before the first module starts.
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

// Bounded reports whether a process in this group of control groups version 2 bounds its modules by some.
func Bounded(group string) bool { return filepath.Base(group) == platformGroup }

// ownCgroup is the folder of the group that a file of /proc names; "": there is no version 2.
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

// CgroupOf is the folder of a process's group; "": it has none of version 2, or is gone.
func CgroupOf(pid int) string { return ownCgroup("/proc/" + strconv.Itoa(pid) + "/cgroup") }

// newCgroups takes a group over in which this process is alone: whoever delegated it put it there. It leaves
// everything as it was where that fails.
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

// cgroup is one module's, from before its start to after its end.
type cgroup struct {
	folder string
	killed int // processes that the kernel ended for memory before this run
}

// open makes a module's group. A nil Cgroups makes none.
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

// entrance is what the launcher writes to, to enter: who opened it decides whether that is allowed.
func (g *cgroup) entrance(d *descriptors) (*os.File, error) {
	if g == nil {
		return nil, nil
	}
	return d.open(filepath.Join(g.folder, "cgroup.procs"), unix.O_WRONLY)
}

// close ends what is left in the group, and removes it if the kernel is done with it already; else the next
// run uses it again.
func (g *cgroup) close() {
	if g == nil {
		return
	}
	_ = set(g.folder, "cgroup.kill", "1")
	_ = os.Remove(g.folder)
}

// overMemory tells whether the kernel has ended the run for the group's memory.
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

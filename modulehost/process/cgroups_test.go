package process_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// delegated returns a control group that contains only this test process, as a service manager would delegate
// it.
func delegated(t *testing.T) string {
	t.Helper()
	const mount = "/sys/fs/cgroup"
	offered, err := os.ReadFile(filepath.Join(mount, "cgroup.controllers"))
	if err != nil || !strings.Contains(string(offered), "memory") || !strings.Contains(string(offered), "pids") {
		t.Skip("this machine has no control groups of version 2 with memory and processes")
	}
	before := process.CgroupOf(os.Getpid())
	folder := filepath.Join(mount, "narthex-process-test-"+strconv.Itoa(os.Getpid()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skip("no control group can be made: " + err.Error())
	}
	t.Cleanup(func() {
		writeControl(t, before, "cgroup.procs", strconv.Itoa(os.Getpid()))
		for _, child := range []string{"platform", "module-sample", ""} {
			if err := os.Remove(filepath.Join(folder, child)); err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
		}
	})
	writeControl(t, folder, "cgroup.procs", strconv.Itoa(os.Getpid()))
	return folder
}

func writeControl(t *testing.T, folder, file, value string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, file), []byte(value), 0); err != nil {
		t.Fatal(err)
	}
}

func readControl(t *testing.T, folder, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestCgroups: a module runs in its own group, whose limits apply, and the group is removed at the end.
func TestCgroups(t *testing.T) {
	folder := delegated(t)
	groups := process.NewCgroups()
	if groups == nil {
		t.Fatal("NewCgroups in a delegated group: nil, want groups")
	}
	if own := process.CgroupOf(os.Getpid()); !process.Bounded(own) || filepath.Dir(own) != folder {
		t.Errorf("the platform is in %s, want a group below %s", own, folder)
	}
	if again := process.NewCgroups(); again == nil || process.CgroupOf(os.Getpid()) != folder+"/platform" {
		t.Errorf("a second NewCgroups: %v, and the platform is in %s", again, process.CgroupOf(os.Getpid()))
	}
	r := start(t, "good", func(c *process.Config) { c.Cgroups = groups })
	module := filepath.Join(folder, "module-sample")
	for file, want := range map[string]string{
		"memory.max": strconv.Itoa(process.DefaultData + 64<<20),
		"pids.max":   strconv.Itoa(process.DefaultProcesses), "memory.oom.group": "1",
	} {
		if got := readControl(t, module, file); got != want {
			t.Errorf("%s of the module's group: %s, want %s", file, got, want)
		}
	}
	inside := strings.Fields(readControl(t, module, "cgroup.procs"))
	if len(inside) != 1 || slices.Contains(inside, strconv.Itoa(os.Getpid())) {
		t.Errorf("in the module's group are %v, want the module alone", inside)
	}
	// Far below its data limit, so that the module reaches the group's limit first.
	writeControl(t, module, "memory.swap.max", "0")
	writeControl(t, module, "memory.max", strconv.Itoa(32<<20))
	_, _ = r.handle(testContext(t), "/allocate", nil)
	<-r.ended
	if end := r.Status().LastEnd; end == nil || end.Kind != process.EndMemory {
		t.Errorf("the module over its group's memory ended by %+v, want %s", end, process.EndMemory)
	}
}

// TestForeignCgroupIsNotChanged: a group that was not delegated to this process alone is not changed.
func TestForeignCgroupIsNotChanged(t *testing.T) {
	before := process.CgroupOf(os.Getpid())
	if process.Bounded(before) {
		t.Skip("this process has a delegated group")
	}
	if before != "" && strings.Count(readControl(t, before, "cgroup.procs"), "\n") == 0 {
		t.Skip("this process is alone in its group")
	}
	if groups := process.NewCgroups(); groups != nil {
		t.Error("NewCgroups among others: groups, want nil")
	}
	if after := process.CgroupOf(os.Getpid()); after != before {
		t.Errorf("NewCgroups moved the process from %s to %s", before, after)
	}
}

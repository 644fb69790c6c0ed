package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestModulesAreConfined checks what the kernel reports about the processes of running modules, and that no
// process of the modules' users can read the platform's memory.
func TestModulesAreConfined(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives away user ids")
	}
	t.Run("root", func(t *testing.T) {
		b := startWithFaulty(t, "aside", "zealous") // base runs between them
		seen := make(map[string]bool)
		for _, id := range []string{"aside", "base", "zealous"} {
			number, _, _ := strings.Cut(processStatus(t, modulePID(t, b.daemon, id))["Uid"], "\t")
			own, err := strconv.ParseUint(number, 10, 32)
			if err != nil || own < 0x70000000 || own > 0x77ffffff || seen[number] {
				t.Errorf("%s: user id %s, want one of its own from 1879048192 to 2013265919", id, number)
			}
			seen[number] = true
			all := strings.Join([]string{number, number, number, number}, "\t")
			b.assertConfined(t, id, map[string]string{"Uid": all, "Gid": all, "Groups": ""})
			b.assertUnreadable(t, uint32(own))
		}
	})
	t.Run("nobody", func(t *testing.T) { // here modules run as the platform's user
		const nobody = 65534
		i := install(t)
		dir, err := os.MkdirTemp("", "narthex-nobody-") // readable for others, which folders of t.TempDir are not
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		installCopies(t, dir, "misbehaving", "aside")
		i.environment["SERVICE_MODULES_DIR"] = dir
		b := &faultyPlatform{installation: i, daemon: i.startAs(t, nobody)}
		b.assertConfined(t, "aside", map[string]string{"Uid": strings.Repeat("65534\t", 3) + "65534"})
		b.assertUnreadable(t, nobody)
	})
}

// startAs starts the platform as another user, who can read the folder of the program.
func (i *installation) startAs(t *testing.T, uid uint32) *invocation {
	t.Helper()
	command := newCommand(t, i.environment, "api:start")
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid,
		Groups: []uint32{}}}
	r := startPrepared(t, command)
	r.awaitOutput(t, &r.stderr, `"msg":"ready"`)
	return r
}

// assertConfined compares the status of a module's process with want and with the values that all modules
// must have.
func (b *faultyPlatform) assertConfined(t *testing.T, id string, want map[string]string) {
	t.Helper()
	want["Seccomp"], want["NoNewPrivs"], want["CapEff"], want["CapPrm"] = "2", "1", "0000000000000000",
		"0000000000000000"
	got := processStatus(t, modulePID(t, b.daemon, id))
	for field, value := range want {
		if got[field] != value {
			t.Errorf("%s: %s is %q, not %q", id, field, got[field], value)
		}
	}
}

// processStatus reads /proc/<pid>/status.
func processStatus(t *testing.T, pid int) map[string]string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

// assertUnreadable checks that a user can read the memory of a process of its own, but not that of the
// platform.
func (b *faultyPlatform) assertUnreadable(t *testing.T, uid uint32) {
	t.Helper()
	read := func(pid int, file string) error {
		reader := exec.Command("cat", fmt.Sprintf("/proc/%d/%s", pid, file))
		reader.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid,
			Groups: []uint32{}}}
		return reader.Run()
	}
	open := exec.Command("sleep", "3600")
	open.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid,
		Groups: []uint32{}}}
	if err := open.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = open.Process.Kill(), open.Wait() }()
	for _, file := range []string{"environ", "maps"} {
		if err := read(open.Process.Pid, file); err != nil {
			t.Errorf("user %d cannot read %s of his own process: %v", uid, file, err)
		}
		if err := read(b.daemon.command.Process.Pid, file); err == nil {
			t.Errorf("user %d reads %s of the platform", uid, file)
		}
	}
}

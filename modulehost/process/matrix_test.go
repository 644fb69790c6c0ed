package process_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// TestSandbox tries every probe against every combination of sandbox parts, with the host's uid and with a
// uid per module. Without the parts in question a probe must succeed: a probe that fails for another reason
// proves nothing.
func TestSandbox(t *testing.T) {
	if os.Geteuid() == 0 {
		if !testing.Short() { // it runs the test again in another host
			t.Run("shared uid", asNobody)
		}
		t.Run("uid per module", func(t *testing.T) { matrix(t, true, true) })
		return
	}
	t.Run("hardened host", func(t *testing.T) { matrix(t, false, true) })
	t.Run("dumpable host", func(t *testing.T) {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := process.Harden(); err != nil {
				t.Error(err)
			}
		}()
		matrix(t, false, false)
	})
}

// asNobody runs this test again in a host without any privileges.
func asNobody(t *testing.T) {
	executable(t, "hostile")
	executable(t, "bare")
	executable(t, "never-ready")
	test, _, _ := strings.Cut(t.Name(), "/")
	command := exec.Command("/proc/self/exe", "-test.run=^"+test+"$", "-test.timeout=5m")
	command.Env = []string{"NARTHEX_TEST_MODULES=" + modules}
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534,
		Groups: []uint32{}}}
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("the test as another user: %v, want success; output %s", err, out)
	}
}

func matrix(t *testing.T, ownUID, hardened bool) {
	kernel := process.InspectSandbox()
	if len(kernel.LandlockLacks()) == 8 || !kernel.Seccomp {
		t.Fatalf("this kernel lacks a part of the sandbox: %+v", kernel)
	}
	owner := os.Geteuid()
	if ownUID {
		owner = 70021
	}
	forbidden := forbiddenByMachine(t, owner)
	for _, seccomp := range []bool{false, true} {
		for _, abi := range []int{0, 1, 2, 4, 6, kernel.Landlock} {
			if abi > kernel.Landlock {
				continue
			}
			t.Run(fmt.Sprintf("landlock %d seccomp %v", abi, seccomp), func(t *testing.T) {
				place := func(uid uint32) func(*process.Config) {
					return func(c *process.Config) {
						if ownUID {
							c.Credential = &process.Credential{UID: uid, GID: uid}
						}
						c.WithSandboxReport(func(r *process.SandboxReport) { r.Landlock, r.Seccomp = abi, seccomp })
					}
				}
				goal := writeTargets(t, owner)
				sibling := start(t, "hostile", place(70022))
				module := start(t, "hostile", func(c *process.Config) {
					place(70021)(c)
					c.Folder = goal.Own
				})
				goal.Sibling = sibling.observe(t).PID
				for _, p := range probes {
					got, err := module.probe(testContext(t), p.name, goal)
					if err != nil {
						t.Fatalf("probe %s: error %v, want a result; the module's output %s", p.name, err,
							module.Output())
					}
					refused := p.limits || p.ownUID && ownUID || p.hardened && hardened ||
						p.landlock > 0 && abi >= p.landlock || p.seccomp && seccomp
					varies := p.varies || forbidden[p.name]
					if (got != "open") != refused && (!varies || got == "open") {
						t.Errorf("probe %s: %s, want it refused: %v", p.name, got, refused)
					}
				}
			})
		}
	}
}

// forbiddenByMachine returns the probes that fail without any sandbox, because this machine has a filter for
// system calls already, as a container has. Where there is none, it returns nothing: every probe then has to
// succeed without the part of the sandbox that refuses it.
func forbiddenByMachine(t *testing.T, uid int) map[string]bool {
	t.Helper()
	if fields(t, os.Getpid(), "status")["Seccomp"] == "0" {
		return nil
	}
	bare := func(mode string) *exec.Cmd {
		command := exec.Command(executable(t, mode))
		if uid != os.Geteuid() {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid),
				Gid: uint32(uid), Groups: []uint32{}}}
		}
		return command
	}
	sibling := bare("never-ready")
	if err := sibling.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = sibling.Process.Kill(), sibling.Wait() }()
	goal := writeTargets(t, uid)
	goal.Sibling = sibling.Process.Pid
	forbidden := make(map[string]bool)
	for _, p := range probes {
		request, err := json.Marshal(map[string]any{"Probe": p.name, "Targets": goal})
		if err != nil {
			t.Fatal(err)
		}
		command := bare("bare")
		command.Stdin = bytes.NewReader(request)
		got, err := command.Output()
		if err != nil {
			t.Fatalf("probe %s without a sandbox: error %v, want a result", p.name, err)
		}
		forbidden[p.name] = string(got) != "open"
	}
	return forbidden
}

// TestEveryProbeIsRefused checks that the oldest version of Landlock and the filter together refuse every
// probe.
func TestEveryProbeIsRefused(t *testing.T) {
	for _, p := range probes {
		if !p.needed && !p.limits && !p.seccomp && p.landlock != 1 {
			t.Error(p.name)
		}
	}
}

// writeTargets makes the targets; owner is the uid of the module that attacks them.
func writeTargets(t *testing.T, owner int) targets {
	t.Helper()
	base, err := os.MkdirTemp("", "sandbox-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	goal := targets{
		Host: os.Getpid(), Own: filepath.Join(base, "own"), Elsewhere: filepath.Join(base, "elsewhere"),
		SiblingFile: filepath.Join(base, "sibling", "notes.txt"),
		Stream:      filepath.Join(base, "stream"), Datagram: filepath.Join(base, "datagram"),
		Abstract: "@" + filepath.Base(base),
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(base, 0o755))
	for _, folder := range []string{goal.Own, goal.Elsewhere, filepath.Join(goal.Elsewhere, "empty"),
		filepath.Dir(goal.SiblingFile)} {
		must(os.Mkdir(folder, 0o755))
		must(os.Chown(folder, owner, -1))
	}
	for _, file := range []string{filepath.Join(goal.Own, "notes.txt"), goal.SiblingFile} {
		must(os.WriteFile(file, []byte("text"), 0o644))
		must(os.Chown(file, owner, -1))
	}
	for _, name := range []string{"secret.txt", "victim.txt", "script", "unlinked", "renamed"} {
		file := filepath.Join(goal.Elsewhere, name)
		must(os.WriteFile(file, []byte("text"), 0o755))
		must(os.Chown(file, owner, -1))
	}
	must(os.Symlink(filepath.Join(goal.Elsewhere, "secret.txt"), filepath.Join(goal.Own, "out")))

	listen := func(network, address string) net.Addr {
		listener, err := net.Listen(network, address)
		must(err)
		t.Cleanup(func() { _ = listener.Close() })
		return listener.Addr()
	}
	packets := func(network, address string) net.Addr {
		conn, err := net.ListenPacket(network, address)
		must(err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn.LocalAddr()
	}
	goal.TCP = listen("tcp4", "127.0.0.1:0").(*net.TCPAddr).Port
	goal.UDP = packets("udp4", "127.0.0.1:0").(*net.UDPAddr).Port
	listen("unix", goal.Stream)
	listen("unix", goal.Abstract)
	packets("unixgram", goal.Datagram)
	must(os.Chmod(goal.Stream, 0o777))
	must(os.Chmod(goal.Datagram, 0o777))

	nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	must(err)
	goal.HostNice = 20 - nice // in the scale of the system call
	var pending unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_SIGPENDING, &pending))
	goal.HostNumbers = int(pending.Max)
	return goal
}

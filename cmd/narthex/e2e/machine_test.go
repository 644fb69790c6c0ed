package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// machine is a booted Debian with systemd as its first process and a network without any connection to the
// outside. Its changes are only in memory.
type machine struct {
	t       *testing.T
	first   int // the process id of its first process on this machine
	network *os.File
}

// cgroupOfMachine moves the shell, and so the machine that it starts, into a control group of its own. It is
// used where this machine has no systemd that would do so.
const cgroupOfMachine = `for folder in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ ! -e "$folder/cgroup.procs" ] || { mkdir -p "$folder/$0" && echo $$ >"$folder/$0/cgroup.procs"; }
done
exec "$@"`

// sandboxCalls are the system calls with which modules are confined; nspawn of Debian 12 does not allow them.
const sandboxCalls = "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp"

// bootMachine boots a copy of a root folder that debootstrap made. The folder shared is mounted at /srv.
func bootMachine(t *testing.T, root, shared string) *machine {
	t.Helper()
	name := "narthex-test-" + strconv.Itoa(os.Getpid())
	words := []string{"systemd-nspawn", "--quiet", "--directory=" + root, "--volatile=overlay",
		"--machine=" + name, "--private-network", "--register=no", "--kill-signal=SIGRTMIN+3", "--console=pipe",
		"--system-call-filter=" + sandboxCalls, "--bind-ro=" + shared + ":/srv", "--boot"}
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		words = append([]string{"sh", "-ec", cgroupOfMachine, name, "systemd-nspawn", "--keep-unit"}, words[1:]...)
	}
	nspawn := exec.Command(words[0], words[1:]...)
	nspawn.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGTERM}
	var console transcript
	nspawn.Stdout, nspawn.Stderr = &console, &console
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // if this thread ended, Pdeathsig would end the machine
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := nspawn.Start()
		started <- err
		if err == nil {
			_ = nspawn.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 2 { // the second signal makes systemd stop waiting for units
			_ = nspawn.Process.Signal(unix.SIGTERM)
		}
		<-ended
		removeCgroups(t, name)
		if t.Failed() {
			t.Logf("the console of the machine:\n%s", console.String())
		}
	})
	m := &machine{t: t}
	children := fmt.Sprintf("/proc/%d/task/%[1]d/children", nspawn.Process.Pid)
	eventually(t, "the machine has booted", func() bool {
		select {
		case <-ended:
			t.Fatal("systemd-nspawn ended")
		default:
		}
		text, _ := os.ReadFile(children)
		m.first, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		if m.first == 0 {
			return false
		}
		said, _ := m.command("systemctl is-system-running").Output()
		state := strings.TrimSpace(string(said))
		return state == "running" || state == "degraded"
	})
	var err error
	if m.network, err = os.Open(fmt.Sprintf("/proc/%d/ns/net", m.first)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.network.Close() })
	return m
}

// removeCgroups removes the control groups of cgroupOfMachine with all groups below; all of them are empty.
func removeCgroups(t *testing.T, name string) {
	found, _ := filepath.Glob("/sys/fs/cgroup/*/" + name)
	for _, folder := range append(found, "/sys/fs/cgroup/"+name) {
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		find := exec.Command("find", folder, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";")
		said, err := find.CombinedOutput()
		if err != nil {
			t.Errorf("removing control groups: %v\n%s", err, said)
		}
	}
}

// command returns a root shell in the machine that runs a script and ends at the first failure.
func (m *machine) command(script string) *exec.Cmd {
	return exec.CommandContext(m.t.Context(), "nsenter", "--target", strconv.Itoa(m.first), "--mount", "--uts",
		"--ipc", "--net", "--pid", "--cgroup", "env", "--ignore-environment", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "bash", "-euo", "pipefail", "-c",
		"cd /root\n"+script)
}

// run runs a script and returns its output.
func (m *machine) run(script string) string {
	m.t.Helper()
	return m.answer(script, "")
}

// answer is run with answers to the prompts of the script.
func (m *machine) answer(script, answers string) string {
	m.t.Helper()
	command := m.command(script)
	command.Stdin = strings.NewReader(answers)
	said, err := command.CombinedOutput()
	if err != nil {
		journal, _ := m.command("journalctl --no-pager --lines=40").CombinedOutput()
		m.t.Fatalf("in the machine:\n%s\n%v\n%s\nits journal:\n%s", script, err, said, journal)
	}
	return string(said)
}

// dial connects inside the machine's network. Its thread enters the network namespace and is not used for
// anything else afterwards.
func (m *machine) dial(ctx context.Context, network, address string) (connection net.Conn, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err = unix.Setns(int(m.network.Fd()), unix.CLONE_NEWNET); err != nil {
			return
		}
		address = strings.Replace(address, church+":", churchAddress+":", 1)
		connection, err = (&net.Dialer{}).DialContext(ctx, network, address)
	}()
	<-done
	return connection, err
}

// read returns the content of a file of the machine.
func (m *machine) read(path string) []byte {
	m.t.Helper()
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(m.first), "root", path))
	if err != nil {
		m.t.Fatal(err)
	}
	return content
}

// inside returns the words in front of a command of this machine that make it use the network of the booted
// one.
func (m *machine) inside(hosts string, environment ...string) []string {
	const enter = `mount --bind "$0" /etc/hosts && exec env "$@"`
	return append([]string{"nsenter", "--net=" + m.network.Name(), "unshare", "--mount", "sh", "-c", enter,
		hosts}, environment...)
}

var errNoRoot = errors.New("it boots a Debian of its own: run make test-install, as root")

// machineRoot returns the root folder that bootMachine copies, or an error if there is none.
func machineRoot() (string, error) {
	root := os.Getenv("NARTHEX_DEBIAN_ROOT")
	if root == "" || os.Getuid() != 0 {
		return "", errNoRoot
	}
	if _, err := exec.LookPath("systemd-nspawn"); err != nil {
		return "", err
	}
	return root, nil
}

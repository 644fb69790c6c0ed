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

// machine is a Debian of its own with systemd as its first process and a network that ends at itself. What it
// writes is in memory, and gone with it.
type machine struct {
	t       *testing.T
	first   int // the number of its first process, here
	network *os.File
}

// cgroupOfMachine puts the shell, and so the machine, into a control group of its own where no systemd of
// this machine does it.
const cgroupOfMachine = `for folder in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ ! -e "$folder/cgroup.procs" ] || { mkdir -p "$folder/$0" && echo $$ >"$folder/$0/cgroup.procs"; }
done
exec "$@"`

// sandboxCalls are those by which modules are locked in; nspawn of Debian 12 does not let them through.
const sandboxCalls = "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp"

// bootMachine boots a copy of a root that debootstrap made; what is in shared is in its /srv.
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
		runtime.LockOSThread() // whose end would be the parent's death
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
		for range 2 { // the second one does not wait for units
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

// removeCgroups removes what cgroupOfMachine made, with all that is below; each is empty.
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

// command is a shell of root's in the machine that runs a script, and ends at the first failure.
func (m *machine) command(script string) *exec.Cmd {
	return exec.CommandContext(m.t.Context(), "nsenter", "--target", strconv.Itoa(m.first), "--mount", "--uts",
		"--ipc", "--net", "--pid", "--cgroup", "env", "--ignore-environment", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "bash", "-euo", "pipefail", "-c",
		"cd /root\n"+script)
}

// run runs a script and returns what it wrote.
func (m *machine) run(script string) string {
	m.t.Helper()
	return m.answer(script, "")
}

// answer is run with answers to what it asks.
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

// dial connects in the machine's network, whose names are all its own. A thread that has entered it is not
// used for anything else.
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

// read reads a file of the machine.
func (m *machine) read(path string) []byte {
	m.t.Helper()
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(m.first), "root", path))
	if err != nil {
		m.t.Fatal(err)
	}
	return content
}

// inside are the words in front of a command of this machine that shall use the network of that one.
func (m *machine) inside(hosts string, environment ...string) []string {
	const enter = `mount --bind "$0" /etc/hosts && exec env "$@"`
	return append([]string{"nsenter", "--net=" + m.network.Name(), "unshare", "--mount", "sh", "-c", enter,
		hosts}, environment...)
}

var errNoRoot = errors.New("it boots a Debian of its own: run make test-install, as root")

// machineRoot is the root that bootMachine copies, where there is one.
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

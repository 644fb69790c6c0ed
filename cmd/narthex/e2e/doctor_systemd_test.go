package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/porttest"
)

// systemdNeeds succeeds where systemd can be booted in namespaces.
const systemdNeeds = `set -e
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work /mnt/root /mnt/groups
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work none /mnt/root
mount -t cgroup2 none /mnt/groups
exec unshare --pid --fork --cgroup --uts --ipc --mount-proc true`

// ownCgroup runs a command in a control group of its own, which is removed afterwards with those below it.
const ownCgroup = `set -eu
groups=$1
shift
mkdir "$groups"
mount -t cgroup2 none "$groups"
own=$(mktemp -d "$groups/narthex-test-XXXXXX")
sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$own" "$@" || :
find "$own" -depth -type d -exec rmdir {} +
`

// systemdBoot runs systemd in namespaces of its own, on a copy of this machine's files that is gone
// afterwards. Of the machine's own units only D-Bus is started. /sys and /proc/sys cannot be written, and the
// network is the machine's. $1 is the folder with the files of the package and the script.
const systemdBoot = `set -eu
copy=$1/copy root=$1/copy/root
mkdir "$copy"
mount -t tmpfs none "$copy"
mkdir "$copy/upper" "$copy/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$copy/upper,workdir=$copy/work" none "$root"
mount -t proc none "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro none "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount -t tmpfs none "$root/run"
mount -t tmpfs none "$root/usr/lib/systemd/system/sysinit.target.wants"
mount --rbind /dev "$root/dev"
mount --bind "$1" "$root/mnt"
install -m 755 "$1/narthex" "$root/usr/bin/narthex"
install -m 755 "$1/narthexctl" "$root/usr/sbin/narthexctl"
install -m 644 "$1/narthex.service" "$1/narthex.socket" "$root/etc/systemd/system"
mkdir -p "$root/etc/narthex" "$root/var/lib/narthex-modules" "$root/etc/systemd/system/narthex.socket.d"
cp "$1/narthex.env" "$root/etc/narthex"
cp "$1/port.conf" "$root/etc/systemd/system/narthex.socket.d"
echo 'narthex:x:979:979::/:/bin/sh' >>"$root/etc/passwd"
echo 'narthex:x:979:' >>"$root/etc/group"
cat >"$root/etc/systemd/system/try.service" <<END
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/sh /mnt/script
ExecStopPost=/bin/systemctl poweroff --force --force
StandardOutput=append:/mnt/output
StandardError=append:/mnt/output
END
exec chroot "$root" env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	/lib/systemd/systemd --unit=try.service --log-target=null --show-status=0
`

// TestDoctorUnderSystemd: doctor as narthexctl runs it knows that systemd listens for the platform, starts
// nothing, and finds a port that keeps systemd from listening.
func TestDoctorUnderSystemd(t *testing.T) {
	if testing.Short() {
		t.Skip("boots systemd")
	}
	t.Parallel()
	if _, err := os.Stat("/lib/systemd/systemd"); err != nil || os.Geteuid() != 0 ||
		exec.Command("unshare", "--mount", "sh", "-c", systemdNeeds).Run() != nil {
		t.Skip("systemd is not installed here, or cannot be booted")
	}
	i := install(t)
	website, _ := heldSocket(t)
	environment := maps.Clone(i.environment)
	for _, name := range []string{"SERVICE_API_PORT", "SERVICE_MODULES_DIR", "XDG_RUNTIME_DIR"} {
		delete(environment, name)
	}
	folder := sharedFolder(t)
	binary, err := narthexBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{binary, "../../../deploy/debian/narthexctl",
		"../../../deploy/systemd/narthex.service", "../../../deploy/systemd/narthex.socket"} {
		copyFile(t, from, filepath.Join(folder, filepath.Base(from)))
	}
	var settings strings.Builder
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		settings.WriteString(name + "=" + environment[name] + "\n")
	}
	for name, text := range map[string]string{
		"narthex.env": settings.String(),
		"port.conf":   "[Socket]\nListenStream=\nListenStream=" + website.Addr().String() + "\n",
		"free.conf": "[Socket]\nListenStream=\nListenStream=127.0.0.1:" + strconv.Itoa(porttest.Free(t)) +
			"\n",
		"script": `systemctl start dbus.socket
examine() {
	echo "== $1"
	narthexctl doctor 2>/dev/null
	systemctl show --property=MainPID narthex.service
}
systemctl start narthex.socket
examine "the port is taken"
cp /mnt/free.conf /etc/systemd/system/narthex.socket.d/port.conf
systemctl daemon-reload
systemctl reset-failed
systemctl start narthex.socket
examine "systemd listens"
echo SERVICE_API_PORT=4000 >>/etc/narthex/narthex.env
examine "with a port that is not read"
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said, err := exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", ownCgroup, "sh",
		filepath.Join(folder, "groups"), "unshare", "--mount", "--pid", "--fork", "--cgroup", "--uts", "--ipc",
		"--mount-proc", "sh", "-c", systemdBoot, "sh", folder).CombinedOutput()
	if err != nil {
		t.Fatalf("systemd: error %v; %s", err, said)
	}
	output, err := os.ReadFile(filepath.Join(folder, "output"))
	if err != nil {
		t.Fatalf("systemd did not run the script: error %v; %s", err, said)
	}
	parts := strings.Split(string(output), "== ")
	wants := [][]string{
		{"the port is taken", "blocking  LISTEN_FAILED: Another program has the address of narthex.socket; "},
		{"systemd listens", "ok        Address: systemd holds it for the platform (narthex.socket)."},
		{"with a port that is not read", "ok        Address: systemd holds it for the platform (narthex.socket).",
			"warning   SETTING_UNREAD: SERVICE_API_PORT is not read, because narthex.socket has the address; "},
	}
	if len(parts) != len(wants)+1 {
		t.Fatalf("doctor ran %d times, want %d:\n%s", len(parts)-1, len(wants), output)
	}
	for n, want := range wants {
		for _, text := range append(want, "MainPID=0\n") { // 0: the service does not run
			if !strings.Contains(parts[n+1], text) {
				t.Errorf("doctor under systemd, want %q:\n%s", text, parts[n+1])
			}
		}
	}
}

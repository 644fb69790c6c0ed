package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestEverythingWrongAtOnce: a start reports together all problems that it can find before it connects to
// anything.
func TestEverythingWrongAtOnce(t *testing.T) {
	t.Parallel()
	r := runCommand(t, map[string]string{
		"SERVICE_API_PORT":    "http",
		"SERVICE_MODULES_DIR": "/nonexistent-marked",
	}, "", "api:start")
	var codes []string
	for line := range strings.Lines(r.stderr.String()) {
		code, _, _ := strings.Cut(line, ": ")
		codes = append(codes, code)
	}
	const want = "DATABASE_URL_INVALID API_PORT_INVALID IDENTITY_SECRET_INVALID IDENTITY_BASE_URL_INVALID " +
		"MODULES_DIRECTORY_UNREADABLE"
	if got := strings.Join(codes, " "); r.awaitExit(t) != cli.ExitFailure || got != want {
		t.Errorf("exit %d, %s\nwant exit %d, %s", r.awaitExit(t), got, cli.ExitFailure, want)
	}
	if said := r.stderr.String(); !strings.HasPrefix(said, "DATABASE_URL_INVALID: DATABASE_URL is not set. ") ||
		strings.Contains(said, "marked") {
		t.Errorf("stderr %s, want it to begin with DATABASE_URL_INVALID and to hold no value", said)
	}

	dir := t.TempDir()
	writeBrowserModule(t, dir, "lamp", "1.0.0", `,"extra":1`)
	for _, command := range []string{"api:start", "migrations:status", "modules:list"} {
		r := runCommand(t, map[string]string{"SERVICE_MODULES_DIR": dir}, "", command)
		if said := r.stderr.String(); !strings.Contains(said, "DATABASE_URL_INVALID: ") ||
			!strings.Contains(said, "MANIFEST_INVALID: module lamp") {
			t.Errorf("%s: said %s\nwant a finding of the environment and one of the module", command, said)
		}
	}
}

// commandWithSockets returns the program as systemd would start it, with these descriptors.
func commandWithSockets(t *testing.T, environment map[string]string, sockets ...*os.File) *exec.Cmd {
	t.Helper()
	command := newCommand(t, environment, "api:start")
	command.Env = append(command.Env, "LISTEN_FDS="+strconv.Itoa(len(sockets)))
	command.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, command.Path},
		command.Args[1:]...)
	var err error
	if command.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	command.ExtraFiles = sockets
	return command
}

func TestInheritedSocketMustBeTCP(t *testing.T) {
	t.Parallel()
	i := prepare(t, &databasetest.DB{URL: "postgres://nobody@127.0.0.1:1/nothing"})
	file := func(socket any, err error) *os.File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		f, err := socket.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	listen := func(network, address string) *os.File {
		socket, err := net.Listen(network, address)
		if err == nil {
			t.Cleanup(func() { _ = socket.Close() })
		}
		return file(socket, err)
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	for name, sockets := range map[string][]*os.File{
		"a Unix socket":   {listen("unix", filepath.Join(t.TempDir(), "socket"))},
		"a UDP socket":    {file(packets, nil)},
		"TCP and Unix":    {listen("tcp", "127.0.0.1:0"), listen("unix", filepath.Join(t.TempDir(), "socket"))},
		"two TCP sockets": {listen("tcp", "127.0.0.1:0"), listen("tcp", "127.0.0.1:0")},
	} {
		r := startPrepared(t, commandWithSockets(t, i.environment, sockets...))
		if status, said := r.awaitExit(t), r.stderr.String(); status != cli.ExitFailure ||
			!strings.HasPrefix(said, "LISTEN_FAILED: systemd handed over ") {
			t.Errorf("%s: exit %d, said %q; want exit %d and LISTEN_FAILED", name, status, said, cli.ExitFailure)
		}
	}
}

// TestReadyLine: the ready line has the number of modules in each state, and the port, which nobody else
// knows.
func TestReadyLine(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "configured", "tail")
	i.environment["SERVICE_API_PORT"] = "0"
	daemon := i.start(t)
	var ready struct {
		Msg, Version, Topology           string
		Port, Modules, Disabled, Blocked int
	}
	for line := range strings.Lines(daemon.stderr.String()) {
		if strings.Contains(line, `"msg":"ready"`) {
			if err := json.Unmarshal([]byte(line), &ready, json.MatchCaseInsensitiveNames(true)); err != nil {
				t.Fatal(err)
			}
		}
	}
	version := strings.TrimSpace(runCommand(t, nil, "", "version").stdout.String())
	if ready.Version != version || ready.Topology != "same-origin" || ready.Modules != 2 ||
		ready.Disabled != 0 || ready.Blocked != 1 {
		t.Errorf("the ready line says %+v; want version %s, same-origin, 2 modules, 0 disabled, 1 blocked", ready,
			version)
	}
	i.address = "http://localhost:" + strconv.Itoa(ready.Port)
	if got := i.visitor(t).do("GET", "/api/v1/health/ready", nil); got.status != 200 {
		t.Errorf("at the port of the ready line: status %d, want 200", got.status)
	}
	daemon.signal(t, syscall.SIGTERM)
}

// TestNoDescriptorLeft: a start that runs out of descriptors does not blame the module's executable.
func TestNoDescriptorLeft(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	command := newCommand(t, i.environment, "api:start")
	command.Args = append([]string{"sh", "-c", `ulimit -n 48; exec "$0" "$@"`, command.Path},
		command.Args[1:]...)
	var err error
	if command.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	r := startPrepared(t, command)
	const want = "MODULE_PROCESS_LIMIT: The module base could not be started, because the platform has no " +
		"file descriptor left"
	status, said := r.awaitExit(t), r.stderr.String()
	if status != cli.ExitFailure || !strings.Contains(said, want) {
		t.Errorf("exit %d, said %s\nwant exit %d and %q", status, said, cli.ExitFailure, want)
	}
}

package e2e

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/porttest"
)

// examined is what doctor says in an environment.
func examined(t *testing.T, environment map[string]string, changes ...string) (report string, status int) {
	t.Helper()
	environment = maps.Clone(environment)
	for n := 0; n < len(changes); n += 2 {
		environment[changes[n]] = changes[n+1]
	}
	r := runCommand(t, environment, "", "doctor")
	status = r.awaitExit(t)
	return r.stdout.String(), status
}

// TestDoctorOnOwnerAndNames: doctor warns of a platform without an owner, and of names that are not found.
func TestDoctorOnOwnerAndNames(t *testing.T) {
	t.Parallel()
	i := install(t)
	report, status := examined(t, i.environment)
	if !strings.Contains(report, "ok        Owner: the platform has one.") || status != cli.ExitSuccess {
		t.Errorf("doctor on a sound installation: exit status %d, want 0 and an owner:\n%s", status, report)
	}
	i.db.Exec(t, "DELETE FROM core.platform_owner")
	report, status = examined(t, i.environment, "SERVICE_IDENTITY_BASE_URL", "https://church.invalid",
		"SERVICE_DASHBOARD_ORIGIN", "https://app.church.invalid",
		"SERVICE_IDENTITY_TRUSTED_ORIGINS", "https://app.church.invalid")
	for _, want := range []string{"warning   OWNER_MISSING: Nobody owns the platform",
		"warning   BASE_URL_UNRESOLVED: The name in SERVICE_IDENTITY_BASE_URL ",
		"warning   BASE_URL_UNRESOLVED: The name in SERVICE_DASHBOARD_ORIGIN "} {
		if !strings.Contains(report, want) || status != cli.ExitSuccess {
			t.Errorf("doctor without an owner and names: exit status %d, want 0 and %q:\n%s", status, want, report)
		}
	}
}

// TestDoctorOnClientAddresses: in production doctor warns if all clients have the address of the proxy.
func TestDoctorOnClientAddresses(t *testing.T) {
	t.Parallel()
	i := install(t)
	production := []string{"NODE_ENV", "production", "SERVICE_IDENTITY_BASE_URL", "https://church.invalid"}
	proxy := append(production, "SERVICE_CLIENT_ADDRESS_MODE", "trusted-proxy", "SERVICE_CLIENT_ADDRESS_HEADER",
		"x-forwarded-for", "SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES", "127.0.0.1")
	const warning = "warning   CLIENT_ADDRESS_DIRECT: The platform takes the address of the proxy"
	if report, _ := examined(t, i.environment, production...); !strings.Contains(report, warning) {
		t.Errorf("doctor in production with direct addresses, want %q:\n%s", warning, report)
	}
	for _, changes := range [][]string{proxy, nil} {
		if report, _ := examined(t, i.environment, changes...); strings.Contains(report, "CLIENT_ADDRESS_DIRECT") {
			t.Errorf("doctor with %v, want no CLIENT_ADDRESS_DIRECT:\n%s", changes, report)
		}
	}
}

// TestDoctorOnAddresses: doctor knows its own running platform, and finds a port that another program has:
// a website, another platform, a port that is bound only, and the port of the metrics. It connects to none.
func TestDoctorOnAddresses(t *testing.T) {
	t.Parallel()
	one, two := install(t, "base"), install(t, "base")
	const (
		taken = "blocking  LISTEN_FAILED: Another program has the address of SERVICE_API_HOST and SERVICE_API_PORT"
		ours  = "ok        Address: the platform listens on SERVICE_API_PORT."
		free  = "ok        Address: SERVICE_API_PORT is free."
	)
	expect := func(what, want string, environment map[string]string, changes ...string) {
		t.Helper()
		report, status := examined(t, environment, changes...)
		if !strings.Contains(report, want) || strings.HasPrefix(want, "blocking") && status != cli.ExitFailure {
			t.Errorf("doctor on %s: exit status %d, want %q:\n%s", what, status, want, report)
		}
	}
	expect("a free port", free, one.environment)
	website, _ := heldSocket(t)
	port := strconv.Itoa(website.Addr().(*net.TCPAddr).Port)
	expect("the port of a website", taken, one.environment, "SERVICE_API_PORT", port)
	expect("the port of a website", "blocking  METRICS_ADDRESS_INVALID: Another program has the address",
		two.environment, "SERVICE_METRICS_ADDRESS", "127.0.0.1:"+port)
	if connected(t, website) {
		t.Error("doctor has connected to a port that another program listens on")
	}
	expect("a port that is bound only", taken, two.environment, "SERVICE_API_PORT", boundPort(t))
	const elsewhere = "LISTEN_FAILED: SERVICE_API_HOST is no address of this machine; "
	expect("another machine's address", "blocking  "+elsewhere, two.environment, "SERVICE_API_HOST", "192.0.2.1")
	one.start(t)
	eventually(t, "doctor knows its platform", func() bool {
		report, _ := examined(t, one.environment)
		return strings.Contains(report, ours)
	})
	expect("its platform, on all addresses", ours, one.environment, "SERVICE_API_HOST", "0.0.0.0")
	expect("the port of another platform", taken, two.environment, "SERVICE_API_PORT",
		one.environment["SERVICE_API_PORT"], "XDG_RUNTIME_DIR", one.environment["XDG_RUNTIME_DIR"])
	expect("the port of another platform", taken, two.environment, "SERVICE_API_PORT",
		one.environment["SERVICE_API_PORT"], "SERVICE_API_HOST", "::")
	expect("a database that is gone", "warning   LISTEN_FAILED: Something has the address", one.environment,
		"DATABASE_URL", "postgres://nobody@127.0.0.1:1/nothing")
}

// TestDoctorKnowsAnInheritedSocket: the socket that systemd holds is the platform's while it runs.
func TestDoctorKnowsAnInheritedSocket(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	listener, socket := heldSocket(t)
	i.environment["SERVICE_API_PORT"] = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	i.address = "http://localhost:" + i.environment["SERVICE_API_PORT"]
	daemon := startPrepared(t, commandWithSockets(t, i.environment, socket))
	daemon.awaitOutput(t, &daemon.stderr, `"msg":"ready"`)
	eventually(t, "doctor knows its platform", func() bool {
		report, _ := examined(t, i.environment)
		return strings.Contains(report, "Address: the platform listens on SERVICE_API_PORT.")
	})
}

// connected reports whether a connection waits at a listener.
func connected(t *testing.T, listener net.Listener) bool {
	t.Helper()
	raw, err := listener.(*net.TCPListener).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	if outer := raw.Control(func(fd uintptr) {
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	}); outer != nil || err != nil {
		t.Fatalf("poll: %v, %v", outer, err)
	}
	return n > 0
}

// boundPort returns a port that a socket has, without listening.
func boundPort(t *testing.T) string {
	t.Helper()
	port := porttest.Free(t)
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(socket) })
	if err := unix.Bind(socket, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// TestDoctorOnHTTP2: doctor warns of a proxy that speaks only HTTP/1.1 with browsers. It says nothing of one
// that does not answer.
func TestDoctorOnHTTP2(t *testing.T) {
	t.Parallel()
	i := install(t)
	const missing = "warning   HTTP2_MISSING: The proxy at SERVICE_IDENTITY_BASE_URL speaks only HTTP/1.1"
	const speaks = "ok        Base URL: browsers can use HTTP/2."
	for want, http2 := range map[string]bool{speaks: true, missing: false} {
		proxy := httptest.NewUnstartedServer(http.NotFoundHandler())
		proxy.EnableHTTP2 = http2
		proxy.StartTLS()
		t.Cleanup(proxy.Close)
		report, status := examined(t, i.environment, "SERVICE_IDENTITY_BASE_URL", proxy.URL)
		if !strings.Contains(report, want) || status != cli.ExitSuccess {
			t.Errorf("doctor behind a proxy with HTTP/2 %v: exit status %d, want 0 and %q:\n%s", http2, status, want,
				report)
		}
	}
	report, _ := examined(t, i.environment, "SERVICE_IDENTITY_BASE_URL", "https://127.0.0.1:1")
	if strings.Contains(report, "HTTP2") || strings.Contains(report, "HTTP/2") {
		t.Errorf("doctor without an answer of the proxy, want nothing about HTTP/2:\n%s", report)
	}
}

package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const kioskFolder = "../../../deploy/kiosk"

// kiosk runs one of the screen's scripts with only these variables and PATH.
func kiosk(t *testing.T, script string, variables ...string) (output string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(kioskFolder, script))
	command.Env = append([]string{"PATH=" + os.Getenv("PATH")}, variables...)
	said, err := command.CombinedOutput()
	return string(said), err
}

// TestWaitForServer: the script waits until the server has started. A page of something else does not count.
func TestWaitForServer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl on this machine")
	}
	i := install(t)
	var asked atomic.Int32
	var started atomic.Bool
	target, err := url.Parse(i.address)
	if err != nil {
		t.Fatal(err)
	}
	platform := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if started.Load() {
			platform.ServeHTTP(w, r)
			return
		}
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><p>Sign in to the guest network.")
	}))
	defer front.Close()
	var output string
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		output, err = kiosk(t, "wait-for-server", "KIOSK_URL="+front.URL+"/display/announcements",
			"KIOSK_PAUSE=0.1")
	}()
	for asked.Load() < 40 { // it asks again and again
		select {
		case <-waited:
			t.Fatalf("a foreign page was taken for the server: %q (%v)", output, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	i.start(t)
	started.Store(true)
	<-waited
	if err != nil || !strings.HasSuffix(output, "\nThe server answers.\n") {
		t.Errorf("with a server that came up later: output %q, want \"The server answers.\"; error %v",
			output, err)
	}
	for _, wrong := range []string{"", "church.example.org/display/stage", "https://church.example.org/",
		"file:///display/stage"} {
		if output, err := kiosk(t, "wait-for-server", "KIOSK_URL="+wrong); err == nil ||
			!strings.HasPrefix(output, "KIOSK_URL must be") {
			t.Errorf("KIOSK_URL=%s: %q (%v), want a refusal that says what is wrong", wrong, output, err)
		}
	}
}

// TestStartScreen: the browser is started with the address, a persistent profile, and no flag that discards
// data.
func TestStartScreen(t *testing.T) {
	t.Parallel()
	tools, home := t.TempDir(), t.TempDir()
	for _, name := range []string{"cage", "chromium"} { // cage prints its arguments, and ends when it is asked
		script := "#!/bin/sh\nprintf '%s\\n' \"$@\"\nhead -c 1 <&3 >/dev/null\n"
		if err := os.WriteFile(filepath.Join(tools, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	profile := filepath.Join(home, "profile")
	lock := filepath.Join(profile, "SingletonLock")
	if err := os.Mkdir(profile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("another-host-17", lock); err != nil {
		t.Fatal(err)
	}
	const address = "https://church.example.org/display/stage"
	output, err := kiosk(t, "start-screen", "PATH="+tools+":"+os.Getenv("PATH"), "HOME="+home,
		"KIOSK_URL="+address, "KIOSK_CHROMIUM_FLAGS=--one --two", "WATCHDOG_USEC=4000000")
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if err != nil || lines[0] != "--" || lines[1] != filepath.Join(tools, "chromium") ||
		lines[len(lines)-1] != address {
		t.Fatalf("start-screen called cage with %q (%v)", lines, err)
	}
	said := "\n" + output
	for _, wanted := range []string{"--kiosk", "--user-data-dir=" + profile, "--one", "--two",
		"--remote-debugging-pipe"} {
		if !strings.Contains(said, "\n"+wanted+"\n") {
			t.Errorf("start-screen calls Chromium without %s: %q", wanted, lines)
		}
	}
	if strings.Contains(output, "incognito") {
		t.Errorf("start-screen calls Chromium so that it forgets: %q", lines)
	}
	if _, err := os.Lstat(lock); err == nil {
		t.Error("the lock of a browser that lost its power is still there")
	}
	if output, err := kiosk(t, "start-screen", "HOME="+home); err == nil {
		t.Errorf("without an address: %q, want a refusal", output)
	}
}

// TestKioskFiles: the shell and systemd can parse the files.
func TestKioskFiles(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"wait-for-server", "start-screen"} {
		path := filepath.Join(kioskFolder, script)
		checks := [][]string{{"bash", "-n", path}}
		if _, err := exec.LookPath("shellcheck"); err == nil {
			checks = append(checks, []string{"shellcheck", path})
		}
		for _, check := range checks {
			if output, err := exec.CommandContext(t.Context(), check[0], check[1:]...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v, want success; output %s", strings.Join(check, " "), err, output)
			}
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze on this machine")
	}
	unit, err := os.ReadFile(filepath.Join(kioskFolder, "narthex-kiosk.service"))
	if err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(kioskFolder)
	if err != nil {
		t.Fatal(err)
	}
	// verify looks for the programs that the unit names, so name them where they are in the checkout.
	text := strings.ReplaceAll(string(unit), "/usr/local/lib/narthex-kiosk/", absolute+"/")
	path := filepath.Join(t.TempDir(), "narthex-kiosk.service")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	output, err := exec.CommandContext(t.Context(), analyze, "verify", path).CombinedOutput()
	if err != nil || strings.Contains(string(output), "narthex-kiosk") {
		t.Errorf("systemd-analyze verify: error %v, want none; output %s", err, output)
	}
}

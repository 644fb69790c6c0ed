package browsertest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/waittest"
)

const kioskFolder = "../../deploy/kiosk"

// kiosk plays systemd for the recipe of deploy/kiosk: it starts start-screen, counts its signs of life, and
// starts it again when it has ended, or when no sign came within the limit.
type kiosk struct {
	command func() *exec.Cmd
	socket  *net.UnixConn
	limit   time.Duration
	script  atomic.Int32 // process of the running start-screen
	starts  atomic.Int32
	alive   atomic.Int32 // number of the start that gave the last sign of life
}

// TestKioskWatchdog: the page's renderer is killed, and later stands still. In both cases the browser is
// started again, and the page answers.
func TestKioskWatchdog(t *testing.T) {
	t.Parallel()
	leaveToProof(t, "it waits for the deadline of a watchdog")
	unit, err := os.ReadFile(filepath.Join(kioskFolder, "narthex-kiosk.service"))
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{`WatchdogSec=\d+`, `NotifyAccess=all`, `Restart=always`} {
		if !regexp.MustCompile(`(?m)^` + wanted + `$`).Match(unit) {
			t.Errorf("the unit has no %s", wanted)
		}
	}
	w := startWalls(t, 1)
	k := newKiosk(t, w.fronts[0].origin+"/display/wall")
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		k.waitForLife(t, "before its renderer is "+name)
		before := k.starts.Load()
		renderers := k.processes("--type=renderer")
		if len(renderers) == 0 {
			t.Fatal("the browser has no renderer")
		}
		for _, renderer := range renderers {
			if err := syscall.Kill(renderer, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		}
		waittest.Until(t, "the browser is started again after its renderer was "+name,
			func() bool { return k.starts.Load() > before })
	}
	k.waitForLife(t, "at the end")

	w.fronts[0].setFault(portal) // a page that is not the platform's does not count
	k.end(t)
	foreign := newKiosk(t, w.fronts[0].origin+"/display/wall")
	waittest.Until(t, "a foreign page is not taken for a display",
		func() bool { return foreign.starts.Load() > 1 })
	if foreign.alive.Load() != 0 {
		t.Error("a foreign page was taken for a display")
	}
}

func newKiosk(t *testing.T, address string) *kiosk {
	t.Helper()
	tools := t.TempDir()
	home, err := os.MkdirTemp("", "kiosk-") // unlike t.TempDir it may still be written when it is removed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	// A compositor needs a graphics card; this one only starts its program, which then needs none.
	stub := "#!/bin/sh\nshift\nexec \"$@\"\n"
	if err := os.WriteFile(filepath.Join(tools, "cage"), []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "notify-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "socket")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	k := &kiosk{socket: socket, limit: 20 * time.Second}
	flags := "--headless=new --ozone-platform=headless --disable-gpu"
	if os.Geteuid() == 0 {
		flags += " --no-sandbox"
	}
	k.command = func() *exec.Cmd {
		c := exec.Command(filepath.Join(kioskFolder, "start-screen"))
		c.Env = []string{"PATH=" + tools + ":" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(),
			"XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "KIOSK_URL=" + address,
			"KIOSK_CHROMIUM_FLAGS=" + flags, "NOTIFY_SOCKET=" + path,
			"WATCHDOG_USEC=" + strconv.FormatInt(k.limit.Microseconds(), 10)}
		return c
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		k.run(t)
	}()
	t.Cleanup(func() {
		k.end(t)
		<-ended
	})
	return k
}

// run starts the script again and again, until the socket is closed.
func (k *kiosk) run(t *testing.T) {
	for {
		c := k.command()
		if err := c.Start(); err != nil {
			t.Error(err)
			return
		}
		k.script.Store(int32(c.Process.Pid))
		number := k.starts.Add(1)
		err := k.hear(number)
		for _, each := range k.processes("") { // all of them, as systemd does in the end
			_ = syscall.Kill(each, syscall.SIGKILL)
		}
		_ = c.Wait()
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// hear reads signs of life. It returns when none came within the limit, or when the socket is closed.
func (k *kiosk) hear(number int32) error {
	for {
		if err := k.socket.SetReadDeadline(time.Now().Add(k.limit)); err != nil {
			return err
		}
		message := make([]byte, 4096)
		for {
			n, err := k.socket.Read(message) // descriptors that come with a message are closed
			if err != nil {
				return err
			}
			if strings.Contains(string(message[:n]), "WATCHDOG=1") {
				k.alive.Store(number)
				break
			}
		}
	}
}

func (k *kiosk) end(t *testing.T) {
	t.Helper()
	if err := k.socket.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// waitForLife waits for a sign of life of the running start.
func (k *kiosk) waitForLife(t *testing.T, when string) {
	t.Helper()
	waittest.Until(t, "a sign of life "+when, func() bool {
		return k.starts.Load() > 0 && k.alive.Load() == k.starts.Load()
	})
}

// processes returns start-screen and the processes below it whose command line contains a text.
func (k *kiosk) processes(text string) (found []int) {
	below := map[int][]int{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		stat, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may contain spaces; state and parent follow it.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		pid, _ := strconv.Atoi(filepath.Base(folder))
		parent, _ := strconv.Atoi(fields[1])
		below[parent] = append(below[parent], pid)
	}
	for queue := []int{int(k.script.Load())}; len(queue) > 0; queue = queue[1:] {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", queue[0]))
		if strings.Contains(string(line), text) {
			found = append(found, queue[0])
		}
		queue = append(queue, below[queue[0]]...)
	}
	return found
}

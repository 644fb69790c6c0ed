package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// signalFaults are about the end of the daemon itself, and the output of its log.
func signalFaults() []fault {
	return []fault{
		{name: "signals/term", done: "SIGTERM under writes, five times", run: func(c *check) {
			c.endAndStart(syscall.SIGTERM, 0)
		}, expected: "exit status 0, \"stopped\"; every request that was sent gets its response; nothing " +
			"acknowledged is lost"},
		{name: "signals/kill", run: func(c *check) { c.endAndStart(syscall.SIGKILL, -1) },
			done:     "SIGKILL under writes, five times, while one module is frozen",
			expected: "its modules end with it, the frozen one too; nothing acknowledged is lost"},
		{name: "signals/log-unread", place: placeOptions{notStarted: true}, run: logUnread,
			done:     "standard error is a pipe that nobody reads any more, and full",
			expected: "everything goes on, and SIGTERM ends"},
	}
}

func (c *check) endAndStart(signal syscall.Signal, wanted int) {
	const rounds = 5
	owner := c.owner()
	allowed := []string{noResponse, `503 {"code":"MODULE_UNAVAILABLE"}`, `500 {"code":"MODULE_HANDLER_FAILED"}`}
	if signal == syscall.SIGTERM { // what was sent before the end gets its response
		allowed = []string{notConnected}
	}
	writes := c.write(owner, allowed...)
	for range rounds {
		writes.more(50)
		modules := childrenOf(c.daemon.pid())
		if signal == syscall.SIGKILL { // a module that hangs cannot end by itself
			base := c.moduleProcess("base")
			if base == 0 {
				c.fatal("the module has no process")
			}
			c.ok(syscall.Kill(base, syscall.SIGSTOP), "SIGSTOP")
		}
		c.daemon.signal(signal)
		status, err := c.daemon.awaitEnd(patience)
		c.ok(err, "the end")
		if status != wanted {
			c.wrong("exit status %d, want %d\n%s", status, wanted, c.daemon.tail())
		}
		if !c.within(10*time.Second, func() bool { return !anyRuns(modules) }) {
			c.wrong("modules outlive the daemon")
			endAll(modules)
		}
		if signal == syscall.SIGTERM && !strings.Contains(c.daemon.log.String(), `"msg":"stopped"`) {
			c.wrong("the log does not say \"stopped\"")
		}
		c.ok(c.start(c.ctx), "the next start")
	}
	writes.more(50)
	writes.compare()
	c.saw("%d times: exit status %d, no module left", rounds, wanted)
}

func anyRuns(pids []int) bool {
	for _, pid := range pids {
		if syscall.Kill(pid, 0) == nil {
			return true
		}
	}
	return false
}

// endAll kills what a daemon has left behind, so that the suite leaves nothing.
func endAll(pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func logUnread(c *check) {
	read, write, err := os.Pipe()
	c.ok(err, "a pipe")
	c.cleanup(func() { _ = read.Close(); _ = write.Close() })
	_, _ = unix.FcntlInt(write.Fd(), unix.F_SETPIPE_SZ, 4096)
	command := exec.Command(c.kit.binary, "api:start")
	command.Env, command.Stderr = c.variables(), write
	c.daemon, err = startProcess(command)
	c.ok(err, "the start")
	_ = write.Close()
	c.eventually("it says \"ready\"", func() bool {
		text := make([]byte, 4096)
		n, err := read.Read(text)
		return err != nil || strings.Contains(string(text[:n]), `"msg":"ready"`)
	})
	owner := c.owner()
	others := c.watch(owner, usualPaths()...)
	failures := 0
	for range 500 { // each writes a line to the log
		got := owner.do("GET", "/api/v1/modules/base/panic", nil)
		if got.status != 500 {
			c.wrong("GET /panic: %v", got)
			failures++
		}
		if failures > 2 {
			break
		}
	}
	others.stop()
	c.daemon.signal(syscall.SIGTERM)
	status, err := c.daemon.awaitEnd(90 * time.Second)
	if err != nil {
		c.wrong("SIGTERM: %v", err)
		return
	}
	if status != 0 {
		c.wrong("exit status %d, want 0", status)
	}
	c.saw("500 lines later it serves; SIGTERM: exit status %d", status)
}

package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// resourceFaults are faults of the machine: the daemon runs out of a resource.
func resourceFaults() []fault {
	return []fault{
		{name: "resources/descriptors", run: descriptorsGone, absent: onlyRoot,
			done:     "the daemon's limit of descriptors is lowered to what it has (prlimit), then raised again",
			expected: "open connections go on, the log says \"connections cannot be accepted\"; then all is well"},
		{name: "resources/few-descriptors", place: placeOptions{notStarted: true}, run: fewDescriptors,
			done: "a start with 512 descriptors, and 500 idle connections",
			expected: "idle ones are closed to make room; new clients are served, modules keep their " +
				"descriptors"},
		{name: "resources/threads", place: placeOptions{notStarted: true}, run: threadsGone, absent: onlyRoot,
			done:     "the daemon's user may have no more threads (prlimit), under writes; its module is killed",
			expected: "it goes on or ends; after a start nothing acknowledged is lost"},
		{name: "resources/memory", run: memoryGone, absent: onlyRoot,
			done:     "the daemon may have no more memory (prlimit), under writes and 300 readers",
			expected: "it goes on or ends; after a start nothing acknowledged is lost"},
		{name: "resources/spool-full", place: placeOptions{notStarted: true}, run: spoolFull, absent: onlyRoot,
			done:     "the disk that uploads wait on is full",
			expected: "a large upload is refused, a small one and others notice nothing; then all is as before"},
	}
}

func (c *check) limit(resource int, to uint64) (was unix.Rlimit) {
	now := unix.Rlimit{}
	c.ok(unix.Prlimit(c.daemon.pid(), resource, nil, &was), "prlimit")
	now.Cur, now.Max = to, was.Max
	c.ok(unix.Prlimit(c.daemon.pid(), resource, &now, nil), "prlimit")
	return was
}

// openDescriptors returns the number of open descriptors of a process.
func openDescriptors(pid int) int {
	entries, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries)
}

func descriptorsGone(c *check) {
	owner := c.owner()
	stream, err := owner.subscribe(c.ctx, "/api/v1/module-realtime/board/notes")
	c.ok(err, "a reader")
	defer stream.close()
	kept := c.as(owner)
	if got := kept.do("GET", "/api/v1/modules/base/plain", nil); got.status != 200 {
		c.fatal("before: %v", got)
	}
	was := c.limit(unix.RLIMIT_NOFILE, uint64(openDescriptors(c.daemon.pid())))
	var waiting []net.Conn
	defer func() {
		for _, conn := range waiting {
			_ = conn.Close()
		}
	}()
	c.eventually("the log says it", func() bool {
		if conn, err := c.dial(); err == nil {
			waiting = append(waiting, conn)
		}
		if got := kept.do("GET", "/api/v1/modules/base/plain", nil); got.status != 200 {
			c.wrong("an open connection: %v", got)
		}
		return strings.Contains(c.daemon.log.String(), "connections cannot be accepted") || len(waiting) > 500
	})
	said := strings.Count(c.daemon.log.String(), "connections cannot be accepted")
	if said == 0 {
		c.wrong("the log does not say \"connections cannot be accepted\"")
	}
	if got := kept.do("POST", "/api/v1/modules/board/notes", nil); got.status != 200 {
		c.wrong("a write on an open connection: %v", got)
	}
	kind, _, err := stream.next()
	for kind == "snapshot" && err == nil {
		kind, _, err = stream.next()
	}
	if kind != "update" {
		c.wrong("an open stream got %q, %v", kind, err)
	}
	c.limit(unix.RLIMIT_NOFILE, was.Cur)
	c.eventually("new connections are served", func() bool {
		return c.as(owner).do("GET", "/api/v1/modules/base/plain", nil).status == 200
	})
	c.saw("open connections and a stream went on, the log said it %d times; then new ones are served", said)
}

func fewDescriptors(c *check) {
	c.wrapper = limited(c, unix.RLIMIT_NOFILE, 512)
	c.ok(c.start(c.ctx), "the start")
	owner := c.owner()
	var idle []net.Conn
	for range 500 {
		conn, err := c.dial()
		c.ok(err, "a connection")
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /api/v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
		c.ok(err, "a request")
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		head := make([]byte, 12)
		if _, err := io.ReadFull(conn, head); err != nil || string(head) != "HTTP/1.1 200" {
			c.wrong("connection %d got %q, %v", len(idle)+1, head, err)
		}
		idle = append(idle, conn)
	}
	for _, path := range usualPaths() {
		if got := c.as(owner).do("GET", path, nil); got.status != 200 {
			c.wrong("GET %s: %v", path, got)
		}
	}
	was := c.moduleProcess("base")
	c.ok(syscall.Kill(was, syscall.SIGKILL), "SIGKILL")
	c.back(owner, "base", was)
	made := c.metric(c.ctx, `narthex_http_refusals_total{cause="made_room"}`)
	c.saw("500 were served one after the other, %.0f idle ones closed; a module was started again", made)
	if made < 100 {
		c.wrong("%.0f connections were closed to make room", made)
	}
}

// limited starts the daemon with a limit, which util-linux's prlimit sets before it executes the daemon.
func limited(c *check, resource int, to uint64) func(*exec.Cmd) {
	name := map[int]string{unix.RLIMIT_NOFILE: "--nofile"}[resource]
	return func(command *exec.Cmd) {
		prlimit, err := exec.LookPath("prlimit")
		c.ok(err, "prlimit of util-linux")
		command.Path = prlimit
		command.Args = append([]string{prlimit, fmt.Sprintf("%s=%d", name, to), c.kit.binary}, command.Args[1:]...)
	}
}

// strangerID is a user that nothing else on the machine uses, because the kernel counts threads by user.
const strangerID = 61_234

func threadsGone(c *check) {
	c.ok(os.Chown(c.folder, strangerID, strangerID), "the folder")
	program := filepath.Join(c.folder, "narthex") // where that user can read it
	c.ok(copyFile(c.kit.binary, program, 0o755), "the program")
	c.wrapper = func(command *exec.Cmd) {
		command.Path = program
		command.SysProcAttr = asStranger()
	}
	c.ok(c.start(c.ctx), "the start")
	c.goesOnOrEnds("--nproc", 1, func(owner *person) {
		if pid := c.moduleProcess("base"); pid != 0 { // a new process needs the missing resource
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		var uploading sync.WaitGroup
		content := strings.Repeat("x", 2<<20)
		for n := range 40 { // each waits on disk, in a thread
			own := c.as(owner)
			uploading.Go(func() { own.do("PUT", objectPath+"thread-"+strconv.Itoa(n), strings.NewReader(content)) })
		}
		uploading.Wait()
		got := owner.do("GET", "/api/v1/modules/base/plain", nil)
		ends := got.err != nil && c.within(10*time.Second, c.daemon.hasEnded)
		if !isAllowedOfModule(got) && !ends {
			c.wrong("its callers meanwhile: %v", got)
		}
	})
}

func asStranger() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: strangerID, Gid: strangerID}}
}

func memoryGone(c *check) {
	used := uint64(0)
	statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.daemon.pid()))
	c.ok(err, "the memory")
	_, _ = fmt.Sscan(string(statm), &used)
	c.goesOnOrEnds("--as", used*uint64(os.Getpagesize()), func(owner *person) {
		for range 300 {
			if s, err := owner.subscribe(c.ctx, "/api/v1/module-realtime/board/notes"); err == nil {
				c.cleanup(s.close)
			}
		}
	})
}

// goesOnOrEnds sets a limit during writes and calls more; then it restarts the daemon if it has ended. In
// that case the daemon may have printed stacks, because Go's runtime ended it.
func (c *check) goesOnOrEnds(limit string, to uint64, more func(owner *person)) {
	owner := c.owner()
	writes := c.write(owner, noResponse, `503 {"code":"MODULE_UNAVAILABLE"}`,
		`500 {"code":"MODULE_HANDLER_FAILED"}`, `500 {"code":"INTERNAL_ERROR"}`)
	writes.more(50)
	prlimit := func(arguments ...string) string {
		command := exec.Command("prlimit", append(arguments, fmt.Sprintf("--pid=%d", c.daemon.pid()))...)
		if c.wrapper != nil { // only the process's own user may change its limits
			command.SysProcAttr = asStranger()
		}
		said, err := command.CombinedOutput()
		c.ok(err, "prlimit: "+string(said))
		return strings.TrimSpace(string(said))
	}
	hard := prlimit(limit, "--output=HARD", "--noheadings", "--raw")
	set := func(to string) { prlimit(limit + "=" + to + ":") }
	set(strconv.FormatUint(to, 10))
	more(owner)
	pause(c.ctx, 3*time.Second)
	if c.daemon.hasEnded() {
		c.saw("it ended with exit status %d", c.daemon.command.ProcessState.ExitCode())
		c.ok(c.start(c.ctx), "the next start")
	} else {
		c.saw("it goes on")
		set(hard)
	}
	writes.more(50)
	c.eventually("ready", func() bool { return owner.do("GET", "/api/v1/health/ready", nil).is(200, "") })
	writes.compare()
}

func spoolFull(c *check) {
	disk := filepath.Join(c.folder, "spool")
	c.ok(os.Mkdir(disk, 0o755), "the disk")
	c.ok(unix.Mount("tmpfs", disk, "tmpfs", 0, "size=4m,mode=0700"), "mount")
	c.cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	c.environment["CACHE_DIRECTORY"] = disk
	c.ok(c.start(c.ctx), "the start")
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	large := strings.Repeat("x", 8<<20)
	got := owner.do("PUT", objectPath+"large", strings.NewReader(large))
	c.saw("8 MiB: %v", got)
	if got.status == 200 || got.err != nil {
		c.wrong("8 MiB on a disk of 4: %v, want a refusal", got)
	}
	if got := owner.do("PUT", objectPath+"small", strings.NewReader("x")); got.status != 200 {
		c.wrong("a small upload: %v", got)
	}
	if got := owner.do("PUT", objectPath+"middle", strings.NewReader(large[:2<<20])); got.status != 200 {
		c.wrong("2 MiB afterwards: %v", got)
	}
	left, _ := os.ReadDir(disk)
	if len(left) > 0 {
		c.wrong("%d files are left on the disk", len(left))
	}
}

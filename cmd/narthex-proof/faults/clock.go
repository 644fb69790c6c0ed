package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// clockFaults change the daemon's clock. The other processes of the machine must not be affected, and a time
// namespace has no wall clock. So the daemon is built from its own sources with a package time that adds an
// offset from a file.
func clockFaults() []fault {
	return []fault{
		{name: "clock/back", place: placeOptions{notStarted: true},
			run: func(c *check) { clock(c, -40*24*time.Hour) },
			done: "the daemon's wall clock is set back by 40 days, longer than any session lasts, under writes, " +
				"with readers; then right again",
			expected: "people stay signed in, updates and heartbeats come, limits of time hold; doctor of that " +
				"clock says CLOCK_DIFFERS"},
		{name: "clock/forward", place: placeOptions{notStarted: true},
			run:      func(c *check) { clock(c, 40*24*time.Hour) },
			done:     "the same, forward by 40 days",
			expected: "as with the clock set back"},
	}
}

// offsetVariable names the file with the offset in seconds.
const offsetVariable = "NARTHEX_FAULTS_CLOCK"

// clockSource is added to package time. The file is mapped, so the kernel makes a change visible at once.
const clockSource = `package time

import "syscall"

var offset []byte

func init() {
	name, found := syscall.Getenv("` + offsetVariable + `")
	if !found {
		return
	}
	file, err := syscall.Open(name, syscall.O_RDONLY, 0)
	if err != nil {
		panic(err)
	}
	offset, err = syscall.Mmap(file, 0, 20, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	_ = syscall.Close(file)
}

// shift is the difference of this clock from the machine's, in seconds.
func shift() (seconds int64) {
	if offset == nil {
		return 0
	}
	for _, digit := range offset[1:] {
		seconds = seconds*10 + int64(digit-'0')
	}
	if offset[0] == '-' {
		return -seconds
	}
	return seconds
}
`

// buildWithClock builds a daemon whose clock can be set.
func (k *kit) buildWithClock(ctx context.Context, folder string) (binary string, err error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	const reads = "sec, nsec, mono := runtimeNow()\n"
	changed := strings.ReplaceAll(string(source), reads, reads+"\tsec += shift()\n")
	if changed == string(source) {
		return "", fmt.Errorf("package time of this Go reads its clock in another way")
	}
	added := filepath.Join(filepath.Dir(original), "shift_narthex.go")
	overlay := fmt.Sprintf(`{"Replace": {%q: %q, %q: %q}}`, original, filepath.Join(folder, "time.go"), added,
		filepath.Join(folder, "shift.go"))
	for name, text := range map[string]string{"time.go": changed, "shift.go": clockSource,
		"overlay.json": overlay} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	binary = filepath.Join(folder, "narthex")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "nomsgpack", "-ldflags", "-s -w", "-overlay",
		filepath.Join(folder, "overlay.json"), "-o", binary, "./cmd/narthex")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the daemon with a clock: %w\n%s", err, output)
	}
	return binary, nil
}

func clock(c *check, by time.Duration) {
	binary, err := c.kit.buildWithClock(c.ctx, c.folder)
	c.ok(err, "the daemon with a clock")
	file := filepath.Join(c.folder, "clock")
	set := func(by time.Duration) {
		sign := "+"
		if by < 0 {
			sign = "-"
		}
		text := fmt.Sprintf("%s%019d", sign, int64(by.Abs().Seconds()))
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o644) // in place, because it is mapped
		c.ok(err, "the clock")
		_, err = f.WriteString(text)
		c.ok(err, "the clock")
		c.ok(f.Close(), "the clock")
	}
	set(0)
	c.environment[offsetVariable] = file
	c.wrapper = func(command *exec.Cmd) { command.Path = binary }
	c.ok(c.start(c.ctx), "the start")
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	c.write(owner).more(10)
	stream, err := owner.subscribe(c.ctx, "/api/v1/module-realtime/board/notes")
	c.ok(err, "a reader")
	defer stream.close()
	const slow = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
	var waiting sync.WaitGroup
	waiting.Go(func() { c.awaitTimeouts(slow, 10) }) // their deadlines began on another clock
	pause(c.ctx, 2*time.Second)
	set(by)
	shown := c.serverTime(owner)
	if difference := time.Until(shown); (difference - by).Abs() > time.Minute {
		c.fatal("the daemon's clock is %v from the machine's, want %v", difference, by)
	}
	c.tellOnce(owner, owner, 20)
	c.awaitTimeouts(slow, 10)
	waiting.Wait()
	if got := owner.do("GET", "/api/v1/principal", nil); !strings.Contains(got.body, `"authenticated"`) {
		c.wrong("meanwhile: %v, want still signed in", got)
	}
	again, err := c.signIn(ownerAddress, ownerPassword)
	c.ok(err, "a sign-in meanwhile")
	doctor, _ := runCommand(c.ctx, binary, c.variables(), "", "doctor")
	if !strings.Contains(doctor, "CLOCK_DIFFERS") {
		c.wrong("doctor does not say CLOCK_DIFFERS")
	}
	set(0)
	for _, p := range []*person{owner, again} {
		if got := p.do("GET", "/api/v1/principal", nil); !strings.Contains(got.body, `"authenticated"`) {
			c.wrong("afterwards: %v, want still signed in", got)
		}
	}
	c.tellOnce(owner, owner, 5)
	c.saw("the clock was %s s off; people stayed signed in, updates came, doctor says CLOCK_DIFFERS",
		strconv.Itoa(int(by.Seconds())))
}

// serverTime returns the time of a stream's first heartbeat.
func (c *check) serverTime(p *person) time.Time {
	s, err := p.subscribe(c.ctx, "/api/v1/module-realtime/board/notes")
	c.ok(err, "a reader")
	defer s.close()
	for {
		line, err := s.body.ReadString('\n')
		c.ok(err, "a heartbeat")
		if _, value, found := strings.Cut(line, `{"serverTime":"`); found {
			shown, err := time.Parse(time.RFC3339, strings.TrimSuffix(strings.TrimSpace(value), `"}`))
			c.ok(err, "the time of a heartbeat")
			return shown
		}
	}
}

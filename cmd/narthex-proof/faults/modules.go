package main

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// moduleFaults are faults of modules, by malice or mistake. They must not affect anything else.
func moduleFaults() []fault {
	wild := placeOptions{wild: []string{"wild"}}
	return []fault{
		{name: "modules/crash", place: wild, run: moduleCrash,
			done:     "a handler ends its process (exit 3)",
			expected: "its caller gets 500 MODULE_HANDLER_FAILED; another process serves; others notice nothing"},
		{name: "modules/spins", place: wild, run: moduleSpins,
			done: "a handler takes all of the CPU",
			expected: "its priority is lowered in four of five seconds (root); others are served, and its own " +
				"callers too"},
		{name: "modules/clings", place: placeOptions{wild: []string{"clinging"}}, run: moduleClings,
			done:     "a stop hook that never ends, at SIGTERM",
			expected: "the stop ends all the same, exit status 1 and {\"moduleStopFailed\":true}"},
	}
}

const wildRoot = "/api/v1/modules/wild"

// back waits until a module responds from a process other than was.
func (c *check) back(owner *person, id string, was int) {
	c.eventually(id+" is back", func() bool {
		got := owner.do("GET", "/api/v1/modules/"+id+"/plain", nil)
		if !isAllowedOfModule(got) {
			c.wrong("GET /plain of %s while it starts again: %v", id, got)
		}
		now := c.moduleProcess(id)
		return got.status == http.StatusOK && now != 0 && now != was
	})
}

// handlerLimit is less than the 30 s that a handler has: after that time a response is due to that deadline,
// and not because the process has ended.
const handlerLimit = 20 * time.Second

func moduleCrash(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	was := c.moduleProcess("wild")
	got := owner.do("GET", wildRoot+"/exit", nil)
	c.saw("the caller got %v", got)
	if !got.is(500, "MODULE_HANDLER_FAILED") || got.took > handlerLimit {
		c.wrong("the caller got %v after %.0f s, want 500 before the deadline of handlers", got, got.took.Seconds())
	}
	c.back(owner, "wild", was)
	lost := c.daemon.linesOf("wild", "module process lost")
	if len(lost) != 1 || !slices.Contains([]string{"exited", "link lost"}, lost[0].Reason) {
		c.wrong("lines of the log \"module process lost\": %+v, want one", lost)
	}
	c.saw("another process serves")
}

func moduleClings(c *check) {
	status, err := c.stop()
	c.ok(err, "the stop")
	log := c.daemon.log.String()
	const line = `"moduleStopFailed":true,"rollbackFailed":false}`
	if status != 1 || !strings.Contains(log, line) || !strings.Contains(log, "MODULE_STOP_TIMEOUT") {
		c.wrong("exit status %d, want 1, %s and MODULE_STOP_TIMEOUT", status, line)
	}
	c.saw("exit status %d, MODULE_STOP_TIMEOUT", status)
}

func moduleSpins(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	c.eventually("it spins", func() bool { return owner.do("GET", wildRoot+"/spin", nil).status == 200 })
	spinning := c.moduleProcess("wild")
	if onlyRoot() == "" { // other users may not restore it, and so it is lowered after a minute only
		c.eventually("its priority is lowered", func() bool { return isLowered(spinning) })
		c.eventually("its priority is restored for a while", func() bool { return !isLowered(spinning) })
		c.saw("its priority is lowered and restored")
	}
	other, own := 0, 0
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		if got := owner.do("GET", "/api/v1/modules/base/plain", nil); got.status == 200 {
			other++
		}
		if got := owner.do("GET", wildRoot+"/plain", nil); got.status == 200 {
			own++
		} else {
			c.wrong("a caller of the spinning module: %v", got)
		}
	}
	c.saw("in 5 s of spinning %d responses of another module and %d of its own", other, own)
	if lost := c.daemon.linesOf("wild", "module process lost"); len(lost) > 0 {
		c.wrong("the module was ended: %+v", lost)
	}
}

// isLowered reports whether a process has the lower priority of modulehost/process, with which the kernel
// runs it only on idle CPU time.
func isLowered(pid int) bool {
	attributes, err := unix.SchedGetAttr(pid, 0)
	return err == nil && attributes.Policy == unix.SCHED_IDLE
}

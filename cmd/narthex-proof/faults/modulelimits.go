package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func moduleMemory(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	before := peakMemory(c.daemon.pid())
	was := c.moduleProcess("wild")
	got := owner.do("GET", wildRoot+"/memory", nil)
	if !got.is(500, "MODULE_HANDLER_FAILED") {
		c.wrong("the caller got %v", got)
	}
	c.back(owner, "wild", was)
	grown := peakMemory(c.daemon.pid()) - before
	c.saw("the caller got %v, the platform grew by %d MiB, another process serves", got, grown>>10)
	if grown > 64<<10 {
		c.wrong("the platform grew by %d MiB", grown>>10)
	}
}

func moduleThreads(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	was := c.moduleProcess("wild")
	got := owner.do("GET", wildRoot+"/threads/300", nil)
	if !got.is(500, "MODULE_HANDLER_FAILED") {
		c.wrong("the caller got %v", got)
	}
	c.back(owner, "wild", was)
	c.saw("the caller got %v; another process serves", got)
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

func moduleFlood(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	const lines, window = 100, 10 * time.Second
	began := time.Now()
	owner.do("GET", wildRoot+"/flood", nil)
	var written, logged int
	c.eventually("megabytes and thousands of lines", func() bool {
		got := owner.do("GET", wildRoot+"/flooded", nil)
		_, err := fmt.Sscan(got.body, &written, &logged)
		return err == nil && written > 16<<20 && logged > 20*lines
	})
	most := lines * (2 + int(time.Since(began)/window))
	said := len(c.daemon.linesOf("wild", "module says"))
	log := c.daemon.log.String()
	if said < lines || said > most || strings.Contains(log, "hunter2") {
		c.wrong("%d lines are in the log, want %d to %d, and none of the output", said, lines, most)
	}
	c.saw("of %d MiB of output and %d lines %d lines are in the log", written>>20, logged, said)
}

func moduleGlutton(c *check) {
	const bound = 64 << 10 // KiB
	for n, harm := range []struct{ name, path, want string }{
		{"a row", "/row", "ROW_TOO_LARGE"}, {"an exception", "/exception", "ROW_TOO_LARGE"},
		{"notifications", "/gossip", "<nil>"}, {"statements", "/statements", "<nil>"},
	} {
		if n > 0 { // each is measured in a new process
			if _, err := c.stop(); err != nil {
				c.fatal("the stop: %v", err)
			}
			c.ok(c.start(c.ctx), "the start")
		}
		owner := c.owner()
		owner.do("GET", "/api/v1/modules/glutton/look", nil)
		before := peakMemory(c.daemon.pid())
		got := owner.do("GET", "/api/v1/modules/glutton"+harm.path, nil)
		grown := peakMemory(c.daemon.pid()) - before
		c.saw("%s: %s, the platform grew by %d MiB", harm.name, strings.TrimSpace(got.body), grown>>10)
		if got.status != 200 || !strings.Contains(got.body, harm.want) || grown > bound {
			c.wrong("%s: %v, grown by %d MiB; want %s and at most 64", harm.name, got, grown>>10, harm.want)
		}
	}
}

func moduleUnreadChannels(c *check) {
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	held := func() (bytes, limit int64) {
		var view struct{ HostMemoryBytes, HostMemoryLimitBytes int64 }
		got := owner.do("GET", "/api/v1/module-lifecycle/glutton/process", nil)
		if err := json.Unmarshal([]byte(got.body), &view); err != nil {
			c.wrong("the module's figures: %v", got)
		}
		return view.HostMemoryBytes, view.HostMemoryLimitBytes
	}
	var got response
	var readers []*stream
	leave := func() {
		for _, reader := range readers {
			reader.close()
		}
		readers = nil
	}
	defer func() { leave() }()
	for range 5 { // on a busy machine the readers may be disconnected before the memory is full
		leave()
		for n := range 60 {
			reader, err := owner.subscribe(c.ctx,
				fmt.Sprintf("/api/v1/module-realtime/glutton/c.%c%c", 'a'+n/26, 'a'+n%26))
			c.ok(err, "a reader")
			readers = append(readers, reader)
		}
		got = owner.do("GET", "/api/v1/modules/glutton/tell", nil)
		if !strings.Contains(got.body, "deadline exceeded") {
			break
		}
	}
	bytes, limit := held()
	if !strings.Contains(got.body, "HOST_OVERLOADED") || bytes > limit || limit == 0 {
		c.wrong("the module got %v, %d of %d bytes are counted", got, bytes, limit)
	}
	leave()
	if !c.within(patience, func() bool { bytes, _ := held(); return bytes < 4<<20 }) {
		c.wrong("the memory is still held after the readers have left")
	}
	c.saw("the module was refused with %s at %d of %d MiB; afterwards nothing is held",
		strings.TrimSpace(got.body), bytes>>20, limit>>20)
}

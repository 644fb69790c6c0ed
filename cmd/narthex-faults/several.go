package main

import (
	"strconv"
	"syscall"
	"time"
)

// severalFaults are those of two processes on one database.
func severalFaults() []fault {
	return []fault{
		{name: "several/one-frozen", place: placeOptions{notStarted: true},
			run:      func(c *check) { oneOfTwo(c, false) },
			done:     "one of two processes is frozen (SIGSTOP), then goes on",
			expected: "the other serves everything; updates cross again afterwards; nothing acknowledged is lost"},
		{name: "several/one-killed", place: placeOptions{notStarted: true},
			run:      func(c *check) { oneOfTwo(c, true) },
			done:     "one of two processes is killed, and started again",
			expected: "as with the frozen one"},
		{name: "several/nats-away", place: placeOptions{notStarted: true}, run: twoWithoutNATS,
			done:     "NATS between two processes is killed, then is back",
			expected: "each serves its own readers meanwhile; afterwards updates cross again"},
	}
}

// startTwo starts two processes of one installation, with NATS between them, and returns the second as a
// place of its own.
func (c *check) startTwo() (second *place, away *natsAway) {
	away = c.useNATS()
	c.ok(c.start(c.ctx), "the first process")
	port, err := freePort()
	c.ok(err, "a port")
	other := *c.place
	second = &other
	second.environment = make(map[string]string)
	for name, value := range c.environment {
		second.environment[name] = value
	}
	second.environment["SERVICE_API_PORT"] = portText(port)
	second.environment["SERVICE_METRICS_ADDRESS"] += ".second"
	second.address = "http://localhost:" + portText(port)
	// pages of one origin write through both, as behind a proxy
	second.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = second.address
	c.ok(second.start(c.ctx), "the second process")
	c.cleanup(func() { second.daemon.kill() })
	for _, p := range []*place{c.place, second} {
		c.eventually("NATS is connected", func() bool { return c.usesNATS(p) })
	}
	return second, away
}

func portText(port int) string { return strconv.Itoa(port) }

func oneOfTwo(c *check, killed bool) {
	second, _ := c.startTwo()
	owner := c.owner()
	there := second.as(owner)
	c.tellOnce(owner, there, 5)
	c.watch(owner, usualPaths()...)
	writes := c.write(owner)
	writes.more(20)
	if killed {
		second.daemon.kill()
	} else {
		second.daemon.signal(syscall.SIGSTOP)
	}
	writes.more(100)
	slowest := c.tellOnce(owner, owner, 20)
	c.saw("the other serves: 100 writes on each path, 20 updates, the slowest %.2f s", slowest.Seconds())
	pause(c.ctx, 5*time.Second)
	writes.more(100)
	if killed {
		c.ok(second.start(c.ctx), "the second process again")
	} else {
		second.daemon.signal(syscall.SIGCONT)
	}
	c.eventually("the second process is ready", func() bool {
		return there.do("GET", "/api/v1/health/ready", nil).is(200, "")
	})
	c.eventually("NATS is connected", func() bool {
		return c.usesNATS(second)
	})
	writes.compare()
	c.tellOnce(owner, there, 5)
	c.saw("afterwards updates cross again")
}

func twoWithoutNATS(c *check) {
	second, away := c.startTwo()
	owner := c.owner()
	there := second.as(owner)
	c.tellOnce(owner, there, 5)
	c.watch(owner, usualPaths()...)
	away.server.kill()
	c.tellOnce(owner, owner, 10)
	c.tellOnce(there, there, 10)
	c.saw("each serves its own readers")
	c.ok(away.start(), "NATS")
	for _, p := range []*place{c.place, second} {
		c.eventually("NATS is connected", func() bool { return c.usesNATS(p) })
	}
	c.tellOnce(owner, there, 5)
	c.tellOnce(there, owner, 5)
	c.saw("updates cross again")
}

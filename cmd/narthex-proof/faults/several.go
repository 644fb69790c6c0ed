package main

import (
	"math/rand/v2"
	"strconv"
	"syscall"
	"time"
)

// severalFaults are faults of two processes with one database.
func severalFaults() []fault {
	return []fault{
		{name: "several/one-frozen", place: placeOptions{notStarted: true},
			run: func(c *check) { oneOfTwo(c, false) },
			done: "one of two processes is frozen (SIGSTOP) in the middle of a transaction, under writes at both, " +
				"then goes on",
			expected: "the other serves everything, and gets the locks; readers of both receive every note; nothing " +
				"acknowledged is lost"},
		{name: "several/one-killed", place: placeOptions{notStarted: true},
			run:  func(c *check) { oneOfTwo(c, true) },
			done: "one of two processes is killed under writes at both, and started again",
			expected: "as with the frozen one; readers of the other are told to reconnect once it was silent for " +
				"18 s"},
		{name: "several/nats-away", place: placeOptions{notStarted: true}, run: twoWithoutNATS,
			done: "NATS between two processes is killed, then is back",
			expected: "each serves its own readers meanwhile; afterwards updates cross again, and readers of both " +
				"receive every note"},
		{name: "several/nats-cluster", place: placeOptions{notStarted: true}, run: natsClusterUnderKills,
			absent: noHAProxy,
			done: "of three NATS servers one is killed every 5 s, the next one when it is back, under writes " +
				"through three processes behind HAProxy",
			expected: "nothing is refused; readers receive every note"},
	}
}

// secondProcess is the name under which PostgreSQL lists Core's sessions of the second process.
const secondProcess = "second"

// startTwo starts two processes of one installation, with NATS between them, and returns the second one as a
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
	second.environment["DATABASE_URL"] += "?application_name=" + secondProcess
	second.environment["SERVICE_METRICS_ADDRESS"] += ".second"
	second.address = "http://localhost:" + portText(port)
	// pages of one origin write through both processes, as behind a proxy
	second.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = second.address
	c.ok(second.start(c.ctx), "the second process")
	c.cleanup(func() { second.daemon.kill() })
	for _, p := range []*place{c.place, second} {
		c.eventually("NATS is connected", func() bool { return c.usesNATS(p) })
	}
	return second, away
}

func portText(port int) string { return strconv.Itoa(port) }

// oneOfTwo makes people write and read at both processes while the second one fails.
func oneOfTwo(c *check, killed bool) {
	second, _ := c.startTwo()
	owner := c.owner()
	there := second.as(owner)
	c.tellOnce(owner, there, 5)
	c.watch(owner, usualPaths()...)
	here, away := c.follow(owner, "the first process"), c.follow(there, "the second process")
	writes := c.newLedgers()
	writes.faulty = there
	writes.begin(owner)
	writes.begin(there)
	writes.more(50)
	began := here.count()
	if killed {
		second.daemon.kill()
	} else {
		c.freezeInTransaction(second)
	}
	writes.more(100)
	slowest := c.tellOnce(owner, owner, 20)
	c.saw("the other serves: 100 writes on each path, 20 updates, the slowest %.2f s", slowest.Seconds())
	pause(c.ctx, 5*time.Second)
	writes.more(100)
	if killed {
		c.ok(second.start(c.ctx), "the second process again")
		c.eventually("the reader at the first process is told to reconnect", func() bool {
			return here.count() > began
		})
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
	here.knowsAll()
	away.knowsAll()
}

// freezeInTransaction freezes a process while it holds the locks of a change.
func (c *check) freezeInTransaction(second *place) {
	holds := func() bool {
		open, err := c.query(c.ctx, `SELECT pid FROM pg_stat_activity JOIN pg_locks USING (pid)
			WHERE application_name = $1 AND state = 'idle in transaction'
				AND relation IN (SELECT oid FROM pg_class WHERE relnamespace = 'core'::regnamespace)
				AND mode = 'RowExclusiveLock'`, secondProcess)
		c.ok(err, "pg_locks")
		return len(open) > 0
	}
	c.eventually("the second process is frozen in a transaction", func() bool {
		second.daemon.signal(syscall.SIGSTOP)
		pause(c.ctx, 20*time.Millisecond) // statements that were sent end
		if holds() {
			return true
		}
		second.daemon.signal(syscall.SIGCONT)
		pause(c.ctx, time.Duration(rand.IntN(20))*time.Millisecond)
		return false
	})
}

func twoWithoutNATS(c *check) {
	second, away := c.startTwo()
	owner := c.owner()
	there := second.as(owner)
	c.tellOnce(owner, there, 5)
	c.watch(owner, usualPaths()...)
	readers := []*audience{c.follow(owner, "the first process"), c.follow(there, "the second process")}
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
	for _, reader := range readers {
		reader.knowsAll()
	}
}

// natsClusterUnderKills: three processes behind HAProxy, with three NATS servers of which one is always
// killed.
func natsClusterUnderKills(c *check) {
	servers := c.useNATSCluster()
	c.startBehindHAProxy(3)
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	var readers []*audience
	for range 3 { // HAProxy gives each to another process
		readers = append(readers, c.follow(c.as(owner), "one of three"))
	}
	writes := c.newLedgers()
	writes.begin(owner)
	writes.more(50)
	c.ok(servers.killInTurn(c.ctx, 6), "NATS again")
	writes.more(50)
	writes.compare()
	for _, reader := range readers {
		reader.knowsAll()
	}
}

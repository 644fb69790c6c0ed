package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/services/database/cluster"
)

// databaseFaults are faults of PostgreSQL and of the network path to it. Acknowledged writes must exist
// afterwards.
func databaseFaults() []fault {
	const away = "503 STORE_UNAVAILABLE or PRINCIPAL_RESOLUTION_FAILED, ready 503, live 200; it is found " +
		"again without a restart, nothing acknowledged is lost, modules keep running"
	proxied := placeOptions{proxied: true}
	return []fault{
		{name: "database/restarted", done: "PostgreSQL is stopped and started at once, under writes",
			expected: away, run: func(c *check) {
				c.databaseAway(func() { c.ok(c.postgres.Stop(), "the stop") }, c.databaseStarts, "")
			}},
		{name: "database/stopped", done: "PostgreSQL is stopped until writes were refused",
			expected: away + "; the log says why: refused", run: func(c *check) {
				c.databaseAway(func() { c.ok(c.postgres.Stop(), "the stop") }, c.databaseStarts, "refused")
			}},
		{name: "database/killed", done: "PostgreSQL is killed (SIGKILL), under writes, and recovers",
			expected: away, run: func(c *check) {
				c.databaseAway(func() { c.ok(c.postgres.Kill(), "the kill"); _ = c.postgres.Stop() },
					c.databaseStarts, "refused")
			}},
		{name: "database/frozen", done: "all processes of PostgreSQL are frozen (SIGSTOP), under writes",
			expected: away + "; it is asked on the sockets that are open already", run: databaseFrozen},
		{name: "database/sessions-ended", done: "all sessions are ended every 100 ms for 5 s, under writes",
			expected: "200, or 503 as above; nothing acknowledged is lost", run: databaseSessionsEnded},
		{name: "database/no-connections", done: "others take all of its connections",
			expected: away + "; the log says why: too-many-connections", run: databaseFull},
		{name: "database/read-only", done: "PostgreSQL is set to read-only (default_transaction_read_only)",
			expected: "reads are served, writes get 503 STORE_UNAVAILABLE; then all is as before",
			run:      databaseReadOnly},
		{name: "database/disk-full", done: "the disk of PostgreSQL is full, tables and log",
			expected: "writes get 503 STORE_UNAVAILABLE, live 200; once there is room and it was restarted (the " +
				"handbook) all is as before, nothing acknowledged is lost",
			run: databaseDiskFull, absent: onlyRoot, place: placeOptions{databaseIn: smallDisk}},
		{name: "database/schema-broken", done: "the tables of sessions and grants are renamed, then named back",
			expected: "503 PRINCIPAL_RESOLUTION_FAILED, sign-in 500 IDENTITY_FAILED; then all is as before",
			run:      databaseSchemaBroken},
		{name: "database/schema-missing", done: "api:start on a database without Core's schema", run: schemaMissing,
			expected: "exit status 1 and one line: MODULE_LIFECYCLE_READ_FAILED and SCHEMA_MISSING",
			place:    placeOptions{notStarted: true}},
		{name: "database/table-locked", done: "another session locks the table of invitations", run: tableLocked,
			expected: "its requests end with 503 STORE_UNAVAILABLE; others notice nothing; then all is as before"},
		{name: "database/half-open", expected: away, place: proxied,
			done: "the network path to PostgreSQL drops everything (half-open), under writes",
			run:  func(c *check) { c.databaseWay(silent) }},
		{name: "database/resets", done: "the network path to PostgreSQL resets every connection, under writes",
			expected: away, place: proxied, run: func(c *check) { c.databaseWay(resets) }},
		{name: "database/nonsense", done: "nonsense comes instead of PostgreSQL's responses, under writes",
			expected: away, place: proxied, run: func(c *check) { c.databaseWay(garbles) }},
		{name: "database/trickle", done: "PostgreSQL's responses come at 10 bytes a second, under writes",
			expected: "503 as above once a request is too slow; a ping may be fast enough for ready",
			place:    proxied, run: func(c *check) { c.databaseWay(trickles) }},
		{name: "database/failover", done: "the primary is killed under writes and its standby promoted",
			expected: "503 while no server accepts writes, doctor says read-only; the new primary is used without a " +
				"restart, nothing acknowledged is lost", run: failover, place: placeOptions{notStarted: true}},
	}
}

// databaseAway injects a fault during writes, checks the platform while the database is unreachable, ends the
// fault, and checks that acknowledged writes exist. why is the reason that the log must have; "" means that
// no refusals are awaited.
func (c *check) databaseAway(inject, heal func(), why string) {
	owner := c.owner()
	board := c.moduleProcess("board")
	writes := c.write(owner)
	writes.more(20)
	c.watch(c.visitor(), "/api/v1/health/live", "/")
	inject()
	if why != "" {
		writes.moreRefused(3)
		c.lookWhileAway(owner, why)
	}
	heal()
	writes.more(20)
	c.eventually("ready again", func() bool {
		return owner.do("GET", "/api/v1/health/ready", nil).is(200, "")
	})
	writes.compare()
	if now := c.moduleProcess("board"); now != board {
		c.wrong("the module's process is %d, want %d as before", now, board)
	}
	c.saw("ready again, the module's process is the same")
}

// lookWhileAway sends requests that need the database.
func (c *check) lookWhileAway(owner *person, why string) {
	ready := owner.do("GET", "/api/v1/health/ready", nil)
	principal := owner.do("GET", "/api/v1/principal", nil)
	plain := owner.do("GET", "/api/v1/modules/base/plain", nil)
	if !ready.is(503, "NOT_READY") && (why != slowWhy || !ready.is(200, "")) {
		c.wrong("ready while the database is away: %v, want 503 NOT_READY", ready)
	}
	for _, got := range []response{principal, plain} {
		if !got.is(503, "PRINCIPAL_RESOLUTION_FAILED") {
			c.wrong("a request of a person while the database is away: %v, want 503 PRINCIPAL_RESOLUTION_FAILED", got)
		}
	}
	notReady := func(l logLine) bool { return l.Msg == "not ready" && l.Level == "error" }
	said := make(map[string]bool)
	for _, line := range c.daemon.lines(notReady) {
		said[strings.TrimSpace(line.Reason+" "+line.Why)] = true
	}
	if why != anyWhy && why != slowWhy && !c.within(10*time.Second, func() bool {
		owner.do("GET", "/api/v1/health/ready", nil)
		return slices.ContainsFunc(c.daemon.lines(notReady), func(l logLine) bool { return l.Why == why })
	}) {
		c.wrong("the log says %v, want %q", said, why)
	}
	c.saw("ready %v, principal %v (%.1f s); the log: %v", ready, principal, principal.took.Seconds(),
		sortedKeys(said))
}

const (
	// anyWhy is for faults whose reason depends on what was in progress.
	anyWhy = "any"
	// slowWhy is for a database that is too slow for requests, but not for the few bytes of a ping.
	slowWhy = "slow"
)

func sortedKeys(all map[string]bool) (keys []string) {
	for key := range all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (c *check) databaseStarts() { c.ok(c.startDatabase(c.ctx), "PostgreSQL") }

// databaseWay disturbs the network path to the database.
func (c *check) databaseWay(how way) {
	why := anyWhy
	if how == trickles {
		why = slowWhy
	}
	c.databaseAway(func() { c.ok(c.toDatabase.set(how), "the proxy") },
		func() { c.ok(c.toDatabase.set(passes), "the proxy") }, why)
}

func databaseFrozen(c *check) {
	frozen := c.serverProcesses()
	signal := func(s syscall.Signal) {
		for _, pid := range frozen {
			_ = syscall.Kill(pid, s)
		}
	}
	before := 0
	c.databaseAway(func() {
		frozen, before = c.serverProcesses(), socketsTo(c.port)
		signal(syscall.SIGSTOP)
	}, func() {
		if now := socketsTo(c.port); now > before+40 {
			c.wrong("%d sockets to a frozen PostgreSQL, %d before", now, before)
		}
		c.saw("%d sockets before, %d while frozen", before, socketsTo(c.port))
		signal(syscall.SIGCONT)
	}, anyWhy)
}

// socketsTo counts the sockets of this machine that are connected to a port; a socket in TIME_WAIT has no
// peer any more.
func socketsTo(port int) (n int) {
	table, _ := os.ReadFile("/proc/net/tcp")
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if strings.HasSuffix(fields[2], fmt.Sprintf(":%04X", port)) && fields[3] != "06" {
			n++
		}
	}
	return n
}

const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`

func databaseSessionsEnded(c *check) {
	owner := c.owner()
	writes := c.write(owner)
	writes.more(20)
	ended := 0
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		rows, err := c.query(c.ctx, endSessions)
		c.ok(err, "pg_terminate_backend")
		ended += len(rows)
		pause(c.ctx, 100*time.Millisecond)
	}
	writes.more(20)
	writes.compare()
	c.saw("%d sessions were ended", ended)
	if ended < 50 {
		c.wrong("%d sessions were ended, want many", ended)
	}
}

func databaseFull(c *check) {
	var mu sync.Mutex
	var taken []*pgx.Conn
	admin, err := c.connect(c.ctx)
	c.ok(err, "a session")
	free := func() {
		mu.Lock()
		defer mu.Unlock()
		for _, conn := range taken {
			_ = conn.Close(context.WithoutCancel(c.ctx))
		}
		taken = nil
	}
	defer func() { free(); _ = admin.Close(context.WithoutCancel(c.ctx)) }()
	const most = 200 // max_connections of the cluster
	c.databaseAway(func() {
		for full := 0; full < 20; { // the platform opens new connections until all others are in use
			conn, err := c.connect(c.ctx)
			if err != nil {
				full++
				_, err = admin.Exec(c.ctx, endSessions+` AND NOT (pid = ANY($1))`, pidsOf(taken))
				c.ok(err, "pg_terminate_backend")
				continue
			}
			if taken = append(taken, conn); len(taken) > most {
				c.fatal("more connections than PostgreSQL has")
			}
		}
		c.saw("%d of %d connections are taken", len(taken)+1, most)
	}, free, "too-many-connections")
}

func pidsOf(all []*pgx.Conn) (pids []uint32) {
	for _, conn := range all {
		pids = append(pids, conn.PgConn().PID())
	}
	return pids
}

func databaseReadOnly(c *check) {
	owner := c.owner()
	writes := c.write(owner)
	writes.more(20)
	c.watch(owner, "/api/v1/principal", "/api/v1/modules/base/plain", "/api/v1/health/live",
		"/api/v1/invitations")
	for _, statement := range []string{`ALTER SYSTEM SET default_transaction_read_only = on`,
		`SELECT pg_reload_conf()`} {
		_, err := c.query(c.ctx, statement)
		c.ok(err, statement)
	}
	writes.moreRefused(20)
	c.saw("reads are served, ready is %v", owner.do("GET", "/api/v1/health/ready", nil))
	for _, statement := range []string{`SET default_transaction_read_only = off`,
		`ALTER SYSTEM RESET default_transaction_read_only`, `SELECT pg_reload_conf()`} {
		_, err := c.query(c.ctx, statement)
		c.ok(err, statement)
	}
	writes.more(20)
	writes.compare()
}

// smallDisk means a small disk of its own, which the fault fills.
const smallDisk = "a small disk"

// mountDisk mounts a disk in memory for a database.
func mountDisk(parent string) (folder string, unmount func(), err error) {
	folder, err = openFolder(parent)
	if err != nil {
		return "", nil, err
	}
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=300m,mode=0755"); err != nil {
		return "", nil, fmt.Errorf("mount: %w", err)
	}
	return folder, func() { _ = unix.Unmount(folder, unix.MNT_DETACH); _ = os.Remove(folder) }, nil
}

func databaseDiskFull(c *check) {
	owner := c.owner()
	writes := c.write(owner)
	writes.more(20)
	c.watch(c.visitor(), "/api/v1/health/live", "/")
	filler := filepath.Join(filepath.Dir(c.data), "filler")
	file, err := os.Create(filler)
	c.ok(err, "the file that fills the disk")
	fill := func() {
		for block := make([]byte, 4096); err == nil; {
			_, err = file.Write(block)
		}
		err = nil
	}
	for range 50 { // PostgreSQL frees old files until its log has no space left
		fill()
		_, said := c.query(c.ctx, `CREATE TABLE IF NOT EXISTS filler AS SELECT 1 AS n;
			INSERT INTO filler SELECT generate_series(1, 10000); SELECT pg_switch_wal()`)
		if refused, ok := errors.AsType[*pgconn.PgError](said); said != nil && (!ok || refused.Code == "57P02") {
			break // the session is lost, because PostgreSQL has panicked
		}
	}
	writes.moreRefused(20)
	c.saw("writes are refused; principal %v", owner.do("GET", "/api/v1/principal", nil))
	c.ok(file.Close(), "the file that fills the disk")
	c.ok(os.Remove(filler), "making room")
	_ = c.postgres.Stop()
	c.databaseStarts()
	writes.more(20)
	writes.compare()
}

func databaseSchemaBroken(c *check) {
	owner := c.owner()
	rename := func(from, to string) {
		_, err := c.query(c.ctx, `ALTER TABLE core.`+from+` RENAME TO `+to)
		c.ok(err, "ALTER TABLE")
	}
	expect := func(what string, got response, status int, code string) {
		c.saw("%s: %v", what, got)
		if got.status != status || !strings.Contains(got.body, `"code":"`+code+`"`) {
			c.wrong("%s: %v, want %d %s", what, got, status, code)
		}
	}
	rename("session", "session_gone")
	expect("principal without sessions", owner.do("GET", "/api/v1/principal", nil), 503,
		"PRINCIPAL_RESOLUTION_FAILED")
	expect("sign-in without sessions", c.visitor().do("POST", "/api/auth/sign-in/email",
		map[string]string{"email": ownerAddress, "password": ownerPassword}), 500, "IDENTITY_FAILED")
	expect("sign-out without sessions", owner.do("POST", "/api/auth/sign-out", nil), 503,
		"PRINCIPAL_RESOLUTION_FAILED")
	rename("session_gone", "session")
	rename("permission_grant", "permission_grant_gone")
	expect("permissions without grants", owner.do("GET", "/api/v1/grants", nil), 503,
		"PRINCIPAL_RESOLUTION_FAILED")
	rename("permission_grant_gone", "permission_grant")
	for _, path := range []string{"/api/v1/principal", "/api/v1/grants"} {
		if got := owner.do("GET", path, nil); got.status != 200 {
			c.wrong("afterwards GET %s: %v", path, got)
		}
	}
	if log := c.daemon.log.String(); strings.Contains(log, "session_gone") || strings.Contains(log, "SQLSTATE") {
		c.wrong("the log has the text of the driver")
	}
}

func schemaMissing(c *check) {
	_, err := c.query(c.ctx, `DROP SCHEMA core CASCADE`)
	c.ok(err, "DROP SCHEMA")
	said, err := runCommand(c.ctx, c.kit.binary, c.variables(), "", "api:start")
	lines := strings.Split(strings.TrimSpace(said), "\n")
	last := lines[len(lines)-1]
	if err == nil || !strings.HasPrefix(last, "MODULE_LIFECYCLE_READ_FAILED") ||
		!strings.Contains(last, "SCHEMA_MISSING") {
		c.wrong("error %v; the last line is %q", err, last)
	}
	c.saw("%s", last)
}

func tableLocked(c *check) {
	owner := c.owner()
	c.watch(owner, append(usualPaths(), "/api/v1/grants")...)
	conn, err := c.connect(c.ctx)
	c.ok(err, "a session")
	defer func() { _ = conn.Close(context.WithoutCancel(c.ctx)) }()
	tx, err := conn.Begin(c.ctx)
	c.ok(err, "a transaction")
	_, err = tx.Exec(c.ctx, `LOCK TABLE core.invitation IN ACCESS EXCLUSIVE MODE`)
	c.ok(err, "LOCK TABLE")
	results := make(chan response, 5)
	for range cap(results) {
		own := c.as(owner)
		go func() { results <- own.do("GET", "/api/v1/invitations", nil) }()
	}
	var slowest time.Duration
	for range cap(results) {
		got := <-results
		slowest = max(slowest, got.took)
		if !got.is(503, "STORE_UNAVAILABLE") {
			c.wrong("a request for the locked table: %v after %.0f s", got, got.took.Seconds())
		}
	}
	c.saw("%d requests for it ended with 503 after at most %.0f s", cap(results), slowest.Seconds())
	c.ok(tx.Rollback(c.ctx), "the end of the lock")
	if got := owner.do("GET", "/api/v1/invitations", nil); got.status != 200 {
		c.wrong("afterwards: %v", got)
	}
}

func failover(c *check) {
	programs, err := cluster.Programs(c.ctx, ".tools")
	c.ok(err, "PostgreSQL")
	if _, err := os.Stat(filepath.Join(programs, "pg_basebackup")); err != nil {
		c.fatal("this copy of PostgreSQL comes without pg_basebackup")
	}
	c.ok(c.postgres.Stop(), "the stop")
	primary, err := cluster.Start(c.ctx, cluster.Options{Dir: c.data, Tools: ".tools", FsyncOff: true,
		Port: c.port, Replicated: true})
	c.ok(err, "the primary")
	c.postgres = primary
	standby, err := cluster.Start(c.ctx, cluster.Options{Dir: c.data + "-standby", Tools: ".tools",
		FsyncOff: true, Primary: primary})
	c.ok(err, "the standby")
	c.cleanup(func() { _ = standby.Remove() })
	first, _, _ := strings.Cut(primary.URL("postgres"), "/postgres")
	_, second, _ := strings.Cut(standby.URL("postgres"), "@")
	c.environment["DATABASE_URL"] = first + "," + second
	for _, statement := range []string{`ALTER SYSTEM SET synchronous_standby_names = '*'`,
		`SELECT pg_reload_conf()`} {
		_, err := c.query(c.ctx, statement)
		c.ok(err, statement)
	}
	c.eventually("the standby is synchronous", func() bool {
		states, err := c.query(c.ctx, `SELECT sync_state FROM pg_stat_replication`)
		return err == nil && slices.Equal(states, []string{"sync"})
	})
	c.ok(c.start(c.ctx), "the start")
	c.databaseAway(func() { c.ok(primary.Kill(), "the kill"); _ = primary.Stop() }, func() {
		said, err := runCommand(c.ctx, c.kit.binary, c.variables(), "", "doctor")
		if err == nil || !strings.Contains(said, "DATABASE_UNREACHABLE") || !strings.Contains(said, "read-only") {
			c.wrong("doctor meanwhile: %v", err)
		}
		c.postgres = standby
		_, err = c.query(c.ctx, `SELECT pg_promote()`)
		c.ok(err, "pg_promote")
	}, "read-only")
	c.postgres = primary // for close; the standby has a cleanup of its own
	said, _ := runCommand(c.ctx, c.kit.binary, c.variables(), "", "doctor")
	if !strings.Contains(said, "DATABASE_SERVERS_UNREACHABLE") {
		c.wrong("doctor afterwards does not say DATABASE_SERVERS_UNREACHABLE: %s", said)
	}
}

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// haproxyRecipe is the handbook's configuration, with which the faults run.
const haproxyRecipe = "deploy/proxy/several.haproxy.cfg"

// patroniFaults are faults of a database with a manager, under writes through three processes of the platform
// behind HAProxy, with a cluster of three NATS servers.
func patroniFaults() []fault {
	const replaced = "503 until another machine leads, which is used without a restart; nothing " +
		"acknowledged is lost, no refused write is stored twice; the old leader comes back as a standby"
	one := func(name, done string, inject func(*check, *patroniCluster, *machine) (heal func())) fault {
		return fault{name: "patroni/" + name, done: done + ", under writes", expected: replaced,
			place: placeOptions{notStarted: true}, absent: noPatroni,
			run: func(c *check) { c.underPatroni(inject) }}
	}
	return []fault{
		one("leader-killed", "the leader's machine is killed: etcd, Patroni, PostgreSQL",
			func(c *check, p *patroniCluster, leader *machine) func() {
				leader.signal(syscall.SIGKILL)
				return func() { c.ok(p.startAgain(leader), "the machine again") }
			}),
		one("leader-frozen", "the leader's machine is frozen (SIGSTOP)",
			func(_ *check, _ *patroniCluster, leader *machine) func() {
				leader.signal(syscall.SIGSTOP)
				return func() { leader.signal(syscall.SIGCONT) }
			}),
		one("leader-partitioned", "the leader is cut off from the other machines, and not from the platform",
			func(c *check, _ *patroniCluster, leader *machine) func() {
				c.ok(leader.cut(c.ctx, true), "the cut")
				return func() { c.ok(leader.cut(c.ctx, false), "the end of the cut") }
			}),
		one("switchover", "the leader gives its place to its standby",
			func(c *check, p *patroniCluster, leader *machine) func() {
				c.ok(p.switchover(c.ctx, leader), "the switchover")
				return func() {}
			}),
	}
}

// noHAProxy returns why this machine cannot run a fault behind HAProxy, or "".
func noHAProxy() string { return missing("haproxy") }

func missing(programs ...string) string {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is missing: run .ci/packages failover"
		}
	}
	return ""
}

// noPatroni returns why this machine cannot run the faults of patroni, or "".
func noPatroni() string {
	if why := missing("ip", "setpriv", "etcd", "patroni", "haproxy"); why != "" {
		return why
	}
	return onlyRoot()
}

// underPatroni lets a machine of the database fail while the platform writes.
func (c *check) underPatroni(inject func(*check, *patroniCluster, *machine) (heal func())) {
	p := c.newPatroniCluster()
	c.ok(c.postgres.Stop(), "the other database")
	c.useCluster(p)
	c.useNATSCluster()
	c.startBehindHAProxy(3)
	owner := c.owner()
	writes := c.newLedgers(`503 {"code":"NOT_READY"}`, noResponse)
	writes.faulty = owner // HAProxy answers by itself while no process is ready
	began, before := time.Now(), writes.sum()
	writes.begin(owner)
	writes.begin(owner)
	writes.more(100)
	c.saw("%.0f writes a second", float64(writes.sum()-before)/time.Since(began).Seconds())
	leader := p.leader(c.ctx, nil)
	if leader == nil {
		c.fatal("no machine leads")
	}
	began = time.Now()
	heal := inject(c, p, leader)
	c.eventually("another machine leads", func() bool { return p.leader(c.ctx, leader) != nil })
	c.saw("another machine leads after %.0f s", time.Since(began).Seconds())
	writes.more(50)
	c.saw("writes go on after %.0f s", time.Since(began).Seconds())
	heal()
	c.awaitComplete(p)
	writes.more(50)
	writes.compare()
}

// sum returns how many writes were acknowledged.
func (l *ledgers) sum() (n int64) {
	for _, each := range l.all {
		n += each.acknowledged.Load()
	}
	return n
}

// useCluster makes the platform's database in the cluster, as the handbook says, and lets the place use it.
func (c *check) useCluster(p *patroniCluster) {
	roles, err := os.ReadFile(rolesRecipe)
	c.ok(err, "the functions")
	c.ok(p.administer(c.ctx, "postgres", `CREATE ROLE narthex LOGIN CREATEDB PASSWORD '`+platformPassword+`'`,
		`CREATE DATABASE narthex OWNER narthex ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`,
		`REVOKE ALL ON DATABASE narthex FROM PUBLIC`), "the database")
	c.ok(p.administer(c.ctx, "narthex", string(roles)), "the functions")
	c.databaseURL = p.address("postgres", recipePassword, "narthex") +
		"?sslmode=disable&target_session_attrs=read-write"
	c.environment["DATABASE_URL"] = p.address("narthex", platformPassword, "narthex")
	c.environment["SERVICE_DATABASE_TLS_MODE"] = "disable"
	_, err = runCommand(c.ctx, c.kit.binary, c.variables(), "", "migrations:apply")
	c.ok(err, "migrations:apply")
	_, err = runCommand(c.ctx, c.kit.binary, c.variables(), ownerPassword+"\n", "identity:create-initial-owner",
		"--email", ownerAddress)
	c.ok(err, "the owner")
}

// startBehindHAProxy starts processes of the platform and HAProxy in front of them, whose address the place
// gets.
func (c *check) startBehindHAProxy(number int) {
	front, err := freePort()
	c.ok(err, "a port")
	address := "http://localhost:" + portText(front)
	config, err := os.ReadFile(haproxyRecipe)
	c.ok(err, "HAProxy's configuration")
	changed := []string{":443 ssl crt /etc/haproxy/church.example.org.pem alpn h2,http/1.1",
		"127.0.0.1:" + portText(front)}
	for n := range number {
		port, err := freePort()
		c.ok(err, "a port")
		one := *c.place
		one.environment = maps.Clone(c.environment)
		one.environment["SERVICE_API_PORT"] = portText(port)
		one.environment["SERVICE_IDENTITY_BASE_URL"] = address
		one.environment["SERVICE_METRICS_ADDRESS"] += portText(n)
		one.address = "http://localhost:" + portText(port)
		changed = append(changed, fmt.Sprintf("192.0.2.2%d:3000", n+1), "127.0.0.1:"+portText(port))
		c.ok(one.start(c.ctx), "a process")
		c.cleanup(func() { one.daemon.kill() })
		if c.daemon == nil {
			c.daemon = one.daemon // whose log a failure shows
		}
	}
	file := filepath.Join(c.folder, "haproxy.cfg")
	c.ok(os.WriteFile(file, []byte(strings.NewReplacer(changed...).Replace(string(config))), 0o644),
		"HAProxy's configuration")
	proxy, err := startProcess(exec.Command("haproxy", "-db", "-f", file))
	c.ok(err, "HAProxy")
	c.cleanup(func() { proxy.kill() })
	c.address = address
	v := c.visitor()
	if !c.within(patience, func() bool { return v.do("GET", "/api/v1/health/ready", nil).is(200, "") }) {
		c.fatal("HAProxy does not answer: %s", proxy.tail())
	}
}

// pauseBetween is between two kills of NATS servers.
const pauseBetween = 5 * time.Second

// natsCluster is three servers, which know each other.
type natsCluster struct {
	ports, routes []int
	servers       []*process
}

// useNATSCluster starts three servers and configures the installation for them.
func (c *check) useNATSCluster() *natsCluster {
	n := &natsCluster{servers: make([]*process, 3)}
	var addresses []string
	for range n.servers {
		for _, ports := range []*[]int{&n.ports, &n.routes} {
			port, err := freePort()
			c.ok(err, "a port")
			*ports = append(*ports, port)
		}
	}
	for i := range n.servers {
		c.ok(n.start(i), "NATS")
		c.cleanup(func() { n.servers[i].kill() })
		addresses = append(addresses, "nats://127.0.0.1:"+portText(n.ports[i]))
	}
	c.environment["SERVICE_REALTIME_NATS_URL"] = strings.Join(addresses, ",")
	return n
}

func (n *natsCluster) start(i int) (err error) {
	var routes []string
	for _, port := range n.routes {
		routes = append(routes, "nats://127.0.0.1:"+portText(port))
	}
	n.servers[i], err = startNATS(n.ports[i], "-cluster", portText(n.routes[i]), "-routes",
		strings.Join(routes, ","))
	return err
}

// killInTurn kills one server after the other, each of which is back before the next one is killed.
func (n *natsCluster) killInTurn(ctx context.Context, times int) error {
	for i := range times {
		i %= len(n.servers)
		n.servers[i].kill()
		pause(ctx, pauseBetween)
		if err := n.start(i); err != nil {
			return err
		}
	}
	return nil
}

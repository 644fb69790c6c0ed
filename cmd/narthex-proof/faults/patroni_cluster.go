package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database/cluster"
)

const (
	// patroniRecipe is the handbook's configuration, with which the faults run.
	patroniRecipe = "deploy/postgresql/patroni.yml"
	rolesRecipe   = "deploy/postgresql/roles.sql"

	recipePassword   = "a long secret"
	platformPassword = "secret"
)

// patroniCluster is three machines, each with etcd, Patroni and PostgreSQL.
type patroniCluster struct {
	*network
	folder   string // of the configurations
	data     string // of the databases; in memory
	programs string // of PostgreSQL
}

// newPatroniCluster starts the machines and waits until one leads and another is its synchronous standby.
func (c *check) newPatroniCluster() *patroniCluster {
	programs, err := cluster.Programs(c.ctx, ".tools")
	c.ok(err, "PostgreSQL")
	n, err := newNetwork(c.ctx, 3, int(c.kit.networks.Add(1))%10)
	c.ok(err, "the machines")
	c.cleanup(n.close)
	p := &patroniCluster{network: n, folder: filepath.Join(c.folder, "patroni"), data: c.data + "-patroni",
		programs: programs}
	c.cleanup(func() { _ = os.RemoveAll(p.data) })
	folders := []string{p.folder, p.data}
	for i := range p.machines {
		folders = append(folders, p.socketsOf(i))
	}
	for _, folder := range folders {
		c.ok(os.Mkdir(folder, 0o755), "a folder")
		output, err := exec.Command("chown", "postgres", folder).CombinedOutput()
		c.ok(err, string(output))
	}
	for i, m := range p.machines {
		c.ok(p.configure(i, m), "the configuration of a machine")
		c.ok(p.startEtcd(i, m, "new"), "etcd")
	}
	for i, m := range p.machines {
		c.ok(p.startPatroni(i, m), "Patroni")
	}
	c.awaitComplete(p)
	return p
}

// awaitComplete waits until one machine leads, another is its synchronous standby, and the third a standby.
func (c *check) awaitComplete(p *patroniCluster) {
	if c.within(patience, func() bool { return p.complete(c.ctx) }) {
		return
	}
	c.wrong("the members are %v, want a leader, a synchronous standby and another one", p.members(c.ctx))
	for _, m := range p.machines {
		for _, running := range m.running {
			c.wrong("%s on %s:\n%s", filepath.Base(running.command.Args[9]), m.name, running.tail())
		}
	}
	c.fatal("the cluster is not complete")
}

func (p *patroniCluster) configuration(i int) string {
	return filepath.Join(p.folder, fmt.Sprintf("db%d.yml", i+1))
}

// configure writes the handbook's configuration with the machine's name and addresses, and without what one
// machine cannot have three times, or should not: certificates, the watchdog.
func (p *patroniCluster) configure(i int, m *machine) error {
	text, err := os.ReadFile(patroniRecipe)
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "ssl") {
			continue
		}
		if strings.Contains(line, "# this machine") {
			line = strings.NewReplacer("db1", fmt.Sprintf("db%d", i+1), "192.0.2.11", m.address).Replace(line)
		}
		lines = append(lines, line)
	}
	changed := []string{"hostssl", "host", "mode: automatic", `mode: "off"`,
		"192.0.2.0/24", p.machines[0].address[:strings.LastIndex(m.address, ".")] + ".0/24",
		"/var/lib/postgresql/15/main", p.dataOf(i), "/usr/lib/postgresql/15/bin", p.programs,
		"/var/lib/postgresql/.patroni-pgpass", filepath.Join(p.data, fmt.Sprintf("pgpass%d", i+1)),
		"/var/run/postgresql", p.socketsOf(i),
		"local all postgres peer", "local all postgres scram-sha-256"}
	for i, other := range p.machines {
		changed = append(changed, fmt.Sprintf("192.0.2.1%d", i+1), other.address)
	}
	adapted := strings.NewReplacer(changed...).Replace(strings.Join(lines, ""))
	return os.WriteFile(p.configuration(i), []byte(adapted), 0o644)
}

func (p *patroniCluster) dataOf(i int) string { return filepath.Join(p.data, fmt.Sprintf("db%d", i+1)) }

func (p *patroniCluster) socketsOf(i int) string { return p.dataOf(i) + "-sockets" }

func (p *patroniCluster) startEtcd(i int, m *machine, state string) error {
	var members []string
	for i, other := range p.machines {
		members = append(members, fmt.Sprintf("db%d=http://%s:2380", i+1, other.address))
	}
	_, err := m.run("etcd", "--name", fmt.Sprintf("db%d", i+1), "--data-dir", p.dataOf(i)+"-etcd",
		"--listen-peer-urls", "http://"+m.address+":2380", "--initial-advertise-peer-urls",
		"http://"+m.address+":2380", "--listen-client-urls", "http://"+m.address+":2379", "--advertise-client-urls",
		"http://"+m.address+":2379", "--initial-cluster", strings.Join(members, ","),
		"--initial-cluster-state", state)
	return err
}

func (p *patroniCluster) startPatroni(i int, m *machine) error {
	_, err := m.run("patroni", p.configuration(i))
	return err
}

// startAgain starts a machine that was killed.
func (p *patroniCluster) startAgain(m *machine) error {
	i := slices.Index(p.machines, m)
	return errors.Join(p.startEtcd(i, m, "existing"), p.startPatroni(i, m))
}

// member is what Patroni says of one.
type patroniMember struct {
	Name, Role, State string
	Timeline          any
}

// members asks every machine in turn, and returns the first answer.
func (p *patroniCluster) members(ctx context.Context) []patroniMember {
	for _, m := range p.machines {
		if said := p.ask(ctx, m); said != nil {
			return said
		}
	}
	return nil
}

func (p *patroniCluster) ask(ctx context.Context, m *machine) []patroniMember {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.address+":8008/cluster", nil)
	if err != nil {
		return nil
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	var said struct{ Members []patroniMember }
	if json.NewDecoder(response.Body).Decode(&said) != nil {
		return nil
	}
	return said.Members
}

// leader returns the machine that leads according to machines other than the given one; nil: none does.
func (p *patroniCluster) leader(ctx context.Context, except *machine) *machine {
	for _, asked := range p.machines {
		if asked == except {
			continue
		}
		for _, member := range p.ask(ctx, asked) {
			i := int(member.Name[len(member.Name)-1] - '1')
			if member.Role == "leader" && member.State == "running" && p.machines[i] != except {
				return p.machines[i]
			}
		}
	}
	return nil
}

// complete reports whether all members run, and one of them is the synchronous standby.
func (p *patroniCluster) complete(ctx context.Context) bool {
	roles := make(map[string]int)
	for _, member := range p.members(ctx) {
		if member.State == "running" || member.State == "streaming" {
			roles[member.Role]++
		}
	}
	return roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1
}

// url names all servers, for a user and a database.
func (p *patroniCluster) address(user, password, name string) string {
	var servers []string
	for _, m := range p.machines {
		servers = append(servers, m.address+":5432")
	}
	return fmt.Sprintf("postgres://%s:%s@%s/%s", user, url.PathEscape(password),
		strings.Join(servers, ","), name)
}

// administer runs statements as the administrator, on the leader: a standby has a new database a moment
// later.
func (p *patroniCluster) administer(ctx context.Context, database string, statements ...string) error {
	leader := p.leader(ctx, nil)
	if leader == nil {
		return errors.New("no machine leads")
	}
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://postgres:%s@%s:5432/%s?sslmode=disable",
		url.PathEscape(recipePassword), leader.address, database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, statement := range statements {
		if _, err := conn.PgConn().Exec(ctx, statement).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// switchover asks the leader to give its place to its synchronous standby.
func (p *patroniCluster) switchover(ctx context.Context, leader *machine) error {
	names := make(map[string]string)
	for _, member := range p.members(ctx) {
		names[member.Role] = member.Name
	}
	body := fmt.Sprintf(`{"leader":%q,"candidate":%q}`, names["leader"], names["sync_standby"])
	response, err := http.Post("http://"+leader.address+":8008/switchover", "application/json",
		strings.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the switchover was answered by %s", response.Status)
	}
	return nil
}

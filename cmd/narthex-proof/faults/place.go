package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// placeOptions are the differences of an installation from the usual one.
type placeOptions struct {
	wild       []string          // names of misbehaving modules
	variables  map[string]string // additional environment variables
	databaseIn string            // smallDisk, or "": in memory
	proxied    bool              // the platform reaches the database through place.toDatabase
	notStarted bool
}

// place is one installation: a database of its own, a modules directory, an environment and its daemon.
type place struct {
	kit         *kit
	folder      string
	data        string // the database's folder
	postgres    *cluster.Cluster
	port        int    // of PostgreSQL; the same after a restart
	databaseURL string // for the checks; "": postgres
	toDatabase  *tcpProxy
	environment map[string]string
	address     string
	daemon      *process
	wrapper     func(*exec.Cmd) // changes the command of the daemon; nil: no change
	unmount     func()          // of the database's disk; nil: there is none
}

// newPlace creates an installation with an owner, and starts nothing of the platform.
func newPlace(ctx context.Context, k *kit, options placeOptions) (p *place, err error) {
	p = &place{kit: k}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.folder, err = os.MkdirTemp(k.folder, "place-"); err != nil {
		return nil, err
	}
	if err := os.Chmod(p.folder, 0o755); err != nil {
		return nil, err
	}
	if err := k.modulesFolder(filepath.Join(p.folder, "modules"), options.wild); err != nil {
		return nil, err
	}
	parent := k.memory
	if options.databaseIn == smallDisk {
		if parent, p.unmount, err = mountDisk(k.folder); err != nil {
			return nil, err
		}
	}
	p.data = filepath.Join(parent, filepath.Base(p.folder)+"-database")
	if err := copyTree(ctx, k.template(), p.data); err != nil {
		return nil, err
	}
	if p.port, err = freePort(); err != nil {
		return nil, err
	}
	if err := p.startDatabase(ctx); err != nil {
		return nil, err
	}
	url := p.postgres.URL("postgres")
	if options.proxied {
		if p.toDatabase, err = newTCPProxy(hostAndPort(url)); err != nil {
			return nil, err
		}
		url = strings.Replace(url, hostAndPort(url), p.toDatabase.address, 1)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p.prepareEnvironment(url, port)
	maps.Copy(p.environment, options.variables)
	return p, nil
}

// prepareEnvironment sets the usual variables of an installation.
func (p *place) prepareEnvironment(databaseURL string, port int) {
	p.address = "http://localhost:" + strconv.Itoa(port)
	p.environment = map[string]string{
		"NODE_ENV":                  "development",
		"PATH":                      os.Getenv("PATH"),
		"DATABASE_URL":              databaseURL,
		"SERVICE_MODULES_DIR":       filepath.Join(p.folder, "modules"),
		"SERVICE_API_PORT":          strconv.Itoa(port),
		"XDG_RUNTIME_DIR":           p.folder,
		"SERVICE_IDENTITY_SECRET":   "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
		"SERVICE_IDENTITY_BASE_URL": p.address,
		"SERVICE_METRICS_ADDRESS":   filepath.Join(p.folder, "metrics.sock"),
		"OBJECT_STORAGE_ENDPOINT":   "http://" + p.kit.storage.Address,
		"OBJECT_STORAGE_ACCESS_KEY": storagetest.AccessKey,
		"OBJECT_STORAGE_SECRET_KEY": storagetest.SecretKey,
	}
}

// variables returns the environment in the form of exec.Cmd.
func (p *place) variables() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(p.environment)) {
		lines = append(lines, name+"="+p.environment[name])
	}
	return lines
}

// startDatabase starts PostgreSQL on the same port as before.
func (p *place) startDatabase(ctx context.Context) (err error) {
	p.postgres, err = cluster.Start(ctx,
		cluster.Options{Dir: p.data, Tools: ".tools", FsyncOff: true, Port: p.port})
	if err != nil {
		return explained(err)
	}
	return nil
}

// start starts api:start and waits until it is ready.
func (p *place) start(ctx context.Context) (err error) {
	p.daemon, err = p.startDaemon(ctx)
	return err
}

// startDaemon starts api:start in addition to a daemon that the place may have.
func (p *place) startDaemon(ctx context.Context) (*process, error) {
	command := exec.Command(p.kit.binary, "api:start")
	command.Env = p.variables()
	if p.wrapper != nil {
		p.wrapper(command)
	}
	daemon, err := startProcess(command)
	if err != nil {
		return nil, err
	}
	return daemon, awaitReady(ctx, daemon)
}

// awaitReady waits for the line that reports readiness.
func awaitReady(ctx context.Context, daemon *process) error {
	deadline := time.After(patience)
	for !strings.Contains(daemon.log.String(), `"msg":"ready"`) {
		select {
		case <-daemon.ended:
			return fmt.Errorf("api:start ended:\n%s", daemon.tail())
		case <-deadline:
			daemon.kill()
			return errors.New("api:start was not ready in time")
		case <-ctx.Done():
			daemon.kill()
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// stop asks the daemon to end and returns its exit status.
func (p *place) stop() (status int, err error) {
	p.daemon.signal(syscall.SIGTERM)
	return p.daemon.awaitEnd(patience)
}

// close ends all processes and removes all files.
func (p *place) close() {
	if p.daemon != nil {
		p.daemon.kill()
	}
	if p.toDatabase != nil {
		p.toDatabase.close()
	}
	if p.postgres != nil {
		for _, pid := range p.serverProcesses() {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
		_ = p.postgres.Remove()
	}
	_ = os.RemoveAll(p.data)
	if p.unmount != nil {
		p.unmount()
	}
	_ = os.RemoveAll(p.folder)
}

// serverProcesses returns the postmaster and its children.
func (p *place) serverProcesses() []int {
	pid := p.postgres.PID()
	return append([]int{pid}, childrenOf(pid)...)
}

// moduleProcess returns the process id of a module of this daemon, or 0.
func (p *place) moduleProcess(id string) int { return moduleOf(p.daemon, id) }

func moduleOf(daemon *process, id string) int {
	for _, pid := range childrenOf(daemon.pid()) {
		if name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil {
			program, _, _ := strings.Cut(string(name), "\x00")
			if filepath.Base(program) == id {
				return pid
			}
		}
	}
	return 0
}

// childrenOf returns the child processes of a process.
func childrenOf(parent int) (pids []int) {
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, entry := range entries {
		stat, err := os.ReadFile(entry)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(entry))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// lowestPort and ports define a range below the ports that the kernel assigns, so that no connection gets a
// port between its choice and its use, and apart from the ranges of the tests.
const lowestPort, ports = 12_000, 8_000

// freePort returns a port on which nothing listens.
func freePort() (port int, err error) {
	for range 100 {
		var listener net.Listener
		port = lowestPort + rand.IntN(ports)
		if listener, err = net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, listener.Close()
		}
	}
	return 0, err
}

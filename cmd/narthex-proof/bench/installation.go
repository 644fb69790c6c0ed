package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// The peers.
const (
	nginx      = "nginx"
	pocketbase = "pocketbase"
	mercure    = "mercure"
)

// peerNames are the peers in the order of the table.
var peerNames = []string{nginx, pocketbase, mercure}

// systems are all systems that a row may measure.
type systems struct {
	folder   string
	postgres *cluster.Cluster

	bare, host      *system
	older, platform *system // older is nil if none was given
	peers           map[string]*system
	house           *system // nil until a row needs it
	twins           map[string]*system
	objects         *storagetest.Server
}

func (all *systems) limitOf(r row) *system {
	switch {
	case r.quiet != nil, r.beside == nothing:
		return nil
	case r.beside == inHost:
		return all.host
	case r.beside == pocketbaseItself:
		return all.peers[pocketbase]
	}
	return all.bare
}

func (all *systems) stop() {
	for _, s := range all.peers {
		s.stop()
	}
	for _, s := range all.twins {
		s.stop()
	}
	for _, s := range []*system{all.house, all.platform, all.older, all.host, all.bare} {
		s.stop()
	}
	if all.objects != nil {
		all.objects.Stop()
	}
	if all.postgres != nil {
		_ = all.postgres.Remove()
	}
	_ = os.RemoveAll(all.folder)
}

// startSystems builds all programs that are measured, and starts them with one database server.
func startSystems(ctx context.Context, o options) (*systems, error) {
	folder, err := os.MkdirTemp("", "narthex-bench-")
	if err != nil {
		return nil, err
	}
	all := &systems{folder: folder, peers: make(map[string]*system),
		twins: make(map[string]*system)}
	err = all.startDatabase(ctx)
	switch {
	case err != nil:
	case o.lighthouse != "":
		_, err = all.houseOf(o.binary)(ctx)
	default:
		err = all.start(ctx, o)
	}
	if err != nil {
		all.stop()
		return nil, err
	}
	return all, nil
}

// startDatabase starts the database server, and builds the module that every installation has.
func (all *systems) startDatabase(ctx context.Context) (err error) {
	if err := os.Chmod(all.folder, 0o755); err != nil {
		return err
	}
	all.postgres, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(all.folder, "postgresql"),
		Tools: ".tools", FsyncOff: true})
	if err != nil {
		return err
	}
	return all.build(ctx, "calls", "./bench/testdata/calls")
}

// build builds a program of this Go module.
func (all *systems) build(ctx context.Context, program, source string) error {
	build := exec.CommandContext(ctx, "go", "-C", "cmd/narthex-proof", "build", "-trimpath",
		"-ldflags", "-s -w", "-tags", "nomsgpack", "-o", filepath.Join(all.folder, program), source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", source, err, output)
	}
	return nil
}

func (all *systems) start(ctx context.Context, o options) error {
	if err := all.build(ctx, "bare", "./bench/bare"); err != nil {
		return err
	}
	ours, err := all.install(ctx, "this", o.binary)
	if err != nil {
		return err
	}
	if all.platform, err = ours.start(ctx); err != nil {
		return err
	}
	all.platform.house, all.platform.twin = all.houseOf(o.binary), all.twinOf(o.binary)
	if all.bare, err = all.startBare(ours); err != nil {
		return err
	}
	if all.host, err = ours.startHost(); err != nil {
		return err
	}
	all.bare.cookies, all.host.cookies = all.platform.cookies, all.platform.cookies
	if o.against != "" {
		before, err := all.install(ctx, "older", o.against)
		if err != nil {
			return err
		}
		if all.older, err = before.start(ctx); err != nil {
			return err
		}
	}
	return all.startPeers(ctx, o.peers)
}

// startBare starts the bare server, which queries the database of an installation.
func (all *systems) startBare(asked *installation) (*system, error) {
	program := filepath.Join(all.folder, "bare")
	prepare := func(program string) *exec.Cmd {
		command := exec.Command(program)
		command.Env = append(os.Environ(), "DATABASE_URL="+asked.database)
		return command
	}
	s, err := startAnnounced("limit", prepare(program))
	if err != nil {
		return nil, err
	}
	s.again = func(int) (*exec.Cmd, string, error) {
		port, err := freePort()
		if err != nil {
			return nil, "", err
		}
		copied, err := copyProgram(program, filepath.Join(all.folder, "again-bare"))
		command := prepare(copied)
		command.Env = append(command.Env, "PORT="+port)
		return command, "127.0.0.1:" + port, err
	}
	return s, nil
}

// installation is a narthex program with a database of its own on the common server.
type installation struct {
	name, program, folder string
	database              string // its URL
	module                string // the program of the module calls
	secret                string
	write                 func(folder string) error // of another module; nil: calls
}

func (all *systems) install(ctx context.Context, name, program string) (*installation, error) {
	return all.installWith(ctx, name, program, nil)
}

// installWith installs the program with another module.
func (all *systems) installWith(
	ctx context.Context, name, program string, write func(folder string) error,
) (*installation, error) {
	i := &installation{write: write, name: name, folder: filepath.Join(all.folder, name),
		database: all.postgres.URL(name),
		module:   filepath.Join(all.folder, "calls"), secret: rand.Text() + rand.Text()}
	if err := os.Mkdir(i.folder, 0o755); err != nil {
		return nil, err
	}
	var err error
	if i.program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, all.postgres.URL("postgres"))
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, `CREATE DATABASE "`+name+`"`); err != nil {
		return nil, err
	}
	modules, err := i.modules(1)
	if err != nil {
		return nil, err
	}
	for _, arguments := range [][]string{{"migrations:apply"},
		{"identity:create-initial-owner", "--email", ownerAddress}} {
		command := exec.CommandContext(ctx, i.program, arguments...)
		command.Env, command.Stdin = i.environment(modules, "3000"), strings.NewReader(ownerPassword+"\n")
		if output, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w\n%s", i.name, arguments[0], err, output)
		}
	}
	return i, nil
}

func (i *installation) environment(modules, port string) []string {
	return []string{
		"NODE_ENV=development", "DATABASE_URL=" + i.database, "SERVICE_MODULES_DIR=" + modules,
		"SERVICE_API_PORT=" + port, "SERVICE_IDENTITY_SECRET=" + i.secret,
		"SERVICE_IDENTITY_BASE_URL=" + benchOrigin,
	}
}

// benchOrigin is the same for all systems, whatever port they listen on.
const benchOrigin = "http://localhost"

// start runs the program with one module, and signs people in.
func (i *installation) start(ctx context.Context) (*system, error) {
	modules, err := i.modules(1)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	command := i.command(i.program, modules, port)
	output, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	s, _, err := start(i.name, command, output, readyLine)
	if err != nil {
		return nil, err
	}
	s.address, s.origin, s.again, s.announces = "127.0.0.1:"+port, benchOrigin, i.again, true
	if s.cookies, err = signInPeople(ctx, s, connections); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

const readyLine = `"msg":"ready"`

func (i *installation) command(program, modules, port string) *exec.Cmd {
	command := exec.Command(program, "api:start")
	command.Env = i.environment(modules, port)
	return command
}

func (i *installation) again(modules int) (*exec.Cmd, string, error) {
	folder, err := i.modules(modules)
	if err != nil {
		return nil, "", err
	}
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	program, err := copyProgram(i.program, filepath.Join(i.folder, "again"))
	return i.command(program, folder, port), "127.0.0.1:" + port, err
}

// startHost starts this program as the platform with the module's handlers inside. Its module has no program;
// it only declares the permission of the routes.
func (i *installation) startHost() (*system, error) {
	folder := filepath.Join(i.folder, "inside")
	if err := writeModule(folder, "calls", ""); err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(program, hostArgument)
	command.Env, command.Stderr = i.environment(folder, "0"), os.Stderr
	s, err := startAnnounced("in host", command)
	if err == nil {
		s.origin = benchOrigin
	}
	return s, err
}

// modules returns a folder with copies of the module: calls, calls-1 and so on. Each has a file of its own,
// as real modules have, because processes that run the same file share its pages.
func (i *installation) modules(count int) (folder string, err error) {
	folder = filepath.Join(i.folder, "modules-"+strconv.Itoa(count))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if i.write != nil {
		return folder, i.write(folder)
	}
	for n := range count {
		id := "calls"
		if n > 0 {
			id += "-" + strconv.Itoa(n)
		}
		if err := writeModule(folder, id, i.module); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// writeModule writes a module's folder. Without a program the module has only a script.
func writeModule(folder, id, program string) error {
	platform := runtime.GOOS + "-" + runtime.GOARCH
	home := filepath.Join(folder, id)
	server := ""
	if program != "" {
		server = `"server": "bin/{os}-{arch}/` + id + `", `
	}
	manifest := `{
  "manifestVersion": 7, "id": "` + id + `", "name": "Bench", "version": "1.0.0", "icon": "timer",
  "compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
  "permissions": [{ "id": "` + id + `.use", "baseline": "authenticated" }],
  "entrypoints": { ` + server + `"ui": "ui/index.js" }
}
`
	err := errors.Join(
		os.MkdirAll(filepath.Join(home, "ui"), 0o755),
		os.WriteFile(filepath.Join(home, "module.json"), []byte(manifest), 0o644),
		os.WriteFile(filepath.Join(home, "ui", "index.js"), browserScript(), 0o644),
	)
	if program == "" || err != nil {
		return err
	}
	bin := filepath.Join(home, "bin", platform)
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	_, err = copyProgram(program, filepath.Join(bin, id))
	return err
}

// copyProgram copies a program once and returns the path of the copy.
func copyProgram(from, to string) (string, error) {
	if _, err := os.Stat(to); err == nil {
		return to, nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	// A file that was just written is in the page cache in large pieces, which a process that runs it would
	// map as a whole. So drop it from the cache.
	return to, errors.Join(err, file.Sync(),
		unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED), file.Close())
}

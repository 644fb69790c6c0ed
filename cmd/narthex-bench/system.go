package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/narthex-platform/narthex/services/database/cluster"
)

// system is a server in a process of its own.
type system struct {
	command *exec.Cmd
	address string
	cookies []string // header lines of people with a session; both systems know them
	ended   chan struct{}

	visitors clientAddresses
}

func (s *system) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	<-s.ended
}

// cpu is what the process has used so far.
func (s *system) cpu() time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/stat")
	if err != nil {
		return 0
	}
	return ticks(afterName(stat))
}

// ticks is the processor time in the fields of a process's stat.
func ticks(fields []string) time.Duration {
	user, _ := strconv.Atoi(fields[11])
	kernel, _ := strconv.Atoi(fields[12])
	return time.Duration(user+kernel) * 10 * time.Millisecond // Linux counts in hundredths of a second
}

// start runs a command and waits for the line that says it is ready.
func start(command *exec.Cmd, output io.Reader, ready string) (*system, string, error) {
	if err := command.Start(); err != nil {
		return nil, "", err
	}
	s := &system{command: command, ended: make(chan struct{})}
	lines := bufio.NewScanner(output)
	line := ""
	for lines.Scan() {
		if line = lines.Text(); strings.Contains(line, ready) {
			break
		}
	}
	go func() {
		defer close(s.ended)
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
	}()
	if !strings.Contains(line, ready) {
		<-s.ended
		return nil, "", fmt.Errorf("%s did not start: %s", filepath.Base(command.Path), line)
	}
	return s, line, nil
}

// platform is narthex with a database of its own and one module, which is idle in most rows.
type platform struct {
	*system
	postgres *cluster.Cluster
	folder   string
	port     string
}

func startPlatform(ctx context.Context, binary string) (p *platform, err error) {
	p = &platform{}
	if p.folder, err = os.MkdirTemp("", "narthex-bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.stop()
		}
	}()
	if err := os.Chmod(p.folder, 0o755); err != nil {
		return nil, err
	}
	if p.postgres, err = cluster.Start(ctx,
		cluster.Options{Dir: filepath.Join(p.folder, "postgresql"), Tools: ".tools", FsyncOff: true}); err != nil {
		return nil, err
	}
	modules := filepath.Join(p.folder, "modules")
	if err := os.Mkdir(modules, 0o755); err != nil {
		return nil, err
	}
	if err := installCalls(ctx, modules); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	environment := []string{
		"NODE_ENV=development", "DATABASE_URL=" + p.postgres.URL("postgres"), "SERVICE_MODULES_DIR=" + modules,
		"SERVICE_API_PORT=" + port,
		"SERVICE_IDENTITY_SECRET=" + rand.Text() + rand.Text(),
		"SERVICE_IDENTITY_BASE_URL=http://localhost:" + port,
	}
	migrate := exec.CommandContext(ctx, binary, "migrations:apply")
	migrate.Env = environment
	if output, err := migrate.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	owner := exec.CommandContext(ctx, binary, "identity:create-initial-owner", "--email", ownerAddress)
	owner.Env, owner.Stdin = environment, strings.NewReader(ownerPassword+"\n")
	if output, err := owner.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, output)
	}
	command := exec.CommandContext(ctx, binary, "api:start")
	command.Env = environment
	output, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if p.system, _, err = start(command, output, `"msg":"ready"`); err != nil {
		return nil, err
	}
	p.address, p.port = "127.0.0.1:"+port, port
	return p, nil
}

func (p *platform) stop() {
	if p.system != nil {
		p.system.stop()
	}
	if p.postgres != nil {
		_ = p.postgres.Remove()
	}
	_ = os.RemoveAll(p.folder)
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}

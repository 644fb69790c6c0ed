package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// initialise creates the data if there is none. It returns the superuser's password.
func (h home) initialise(
	ctx context.Context, programs programs, primary *Cluster,
) (password string, err error) {
	if _, err := os.Stat(filepath.Join(h.data(), "PG_VERSION")); err == nil {
		return h.readPassword()
	}
	// PG_VERSION is written early. So the programs work on a folder of another name, and an interrupted run is
	// never taken for data.
	fresh := h.data() + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if primary != nil {
		err = h.copyPrimary(ctx, programs, primary, fresh)
	} else {
		err = h.create(ctx, programs, fresh)
	}
	if err != nil {
		return "", err
	}
	if err := os.Rename(fresh, h.data()); err != nil {
		return "", err
	}
	return h.readPassword()
}

// create creates the data of a new cluster.
func (h home) create(ctx context.Context, programs programs, folder string) error {
	if err := h.writePassword(rand.Text()); err != nil {
		return err
	}
	return h.run(exec.CommandContext(ctx, programs.initdb(), "--pgdata="+folder, "--username="+superuser,
		"--pwfile="+h.password(),
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"))
}

// copyPrimary copies a running cluster, with the settings by which the copy replicates it.
func (h home) copyPrimary(ctx context.Context, programs programs, primary *Cluster, folder string) error {
	if err := h.writePassword(primary.password); err != nil {
		return err
	}
	return h.run(exec.CommandContext(ctx, programs.basebackup(), "--pgdata="+folder, "--write-recovery-conf",
		"--checkpoint=fast", "--no-sync", "--dbname="+primary.URL("postgres")))
}

// run runs a program that ends by itself.
func (h home) run(command *exec.Cmd) (err error) {
	h.prepare(command)
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	var output []byte
	onOwnThread(func() { output, err = command.CombinedOutput() })
	if err == nil {
		return nil
	}
	if log, unwritten := h.openLog(); unwritten == nil {
		_, _ = log.Write(output)
		_ = log.Close()
	}
	return fmt.Errorf("%s: %w", filepath.Base(command.Path), err)
}

// prepare sets the account, the session and the environment of a server program. The session is a new one,
// so that Ctrl-C in the terminal does not reach the program. The environment has no PG* variable. The
// program dies with the thread that starts it: see onOwnThread.
func (h home) prepare(command *exec.Cmd) {
	command.Dir = h.dir
	command.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + h.dir}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGINT}
	if h.account.switched {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: h.account.uid, Gid: h.account.gid}
	}
}

// onOwnThread runs do on a thread that lives as long as do. The kernel sends a child's parent-death signal
// when the thread that started it ends, and Go may end a thread at any time.
func onOwnThread(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		do()
	}()
	<-done
}

// removeStalePID removes the postmaster.pid of a server that was killed. This process holds the folder's
// lock, so a server that still runs on the data is the orphan of a dead process: it is stopped first. If the
// pid now belongs to another program, only the file is removed.
func (h home) removeStalePID(ctx context.Context) error {
	path := filepath.Join(h.data(), "postmaster.pid")
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || pid <= 1 {
		return os.Remove(path)
	}
	if h.runs(pid) {
		_ = syscall.Kill(pid, syscall.SIGINT)
		if err := poll(ctx, fastStop, func() bool { return !h.runs(pid) }); err != nil {
			return fmt.Errorf("an earlier server does not stop: %w", err)
		}
	}
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// runs reports whether pid is a server on this data: a postmaster's working directory is its data
// directory.
func (h home) runs(pid int) bool {
	data, err := os.Stat(h.data())
	if err != nil {
		return false
	}
	there, err := os.Stat("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && os.SameFile(data, there)
}

// poll calls done every 20 ms until it returns true, for at most the limit.
func poll(ctx context.Context, limit time.Duration, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

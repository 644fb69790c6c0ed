// Package storagetest owns the S3 server that tests use: versitygw, which checks signatures, expiry and
// hashes as Amazon does. Each test that asks has a process of its own, with its objects in a folder of the
// test's.
//
//	func TestUpload(t *testing.T) {
//		server := storagetest.New(t)
//		provider, err := storage.New(server.Settings)
//	}
package storagetest

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
)

// The credentials of every server.
const (
	AccessKey = "storagetest"
	SecretKey = "storagetest-secret-key"
)

const startDeadline = 30 * time.Second

// Server is one test's S3 service, empty at first. It ends with the test.
type Server struct {
	Address  string              // host:port
	Settings environment.Storage // by path style; change a copy for other ways
	objects  string
	metadata string // so that the file system need not have extended attributes
	pid      int
	stop     func()
}

// New starts a server and waits until it takes connections. The arguments are versitygw's global options
// beyond those it needs.
func New(t testing.TB, arguments ...string) *Server {
	t.Helper()
	s, err := Start(t.Context(), t.TempDir(), arguments...)
	if err != nil {
		t.Fatalf("storagetest: %v", err)
	}
	t.Cleanup(s.stop)
	return s
}

// Start is New for a program that is no test: the objects are in a folder of the caller's, who stops the
// server.
func Start(ctx context.Context, folder string, arguments ...string) (*Server, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ { // another program may take the port before the server does
		s, err := start(ctx, program, folder, arguments)
		if err == nil || attempt == 3 {
			return s, err
		}
	}
}

// PID is the server's process, for those who stop or freeze it.
func (s *Server) PID() int { return s.pid }

// Stop ends the server now, with its connections.
func (s *Server) Stop() { s.stop() }

// Files lists every file that the server holds, relative to its folder: objects as bucket/key, and the
// rests of unfinished work.
func (s *Server) Files(t testing.TB) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(s.objects, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, strings.TrimPrefix(path, s.objects+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatalf("storagetest: %v", err)
	}
	slices.Sort(files)
	return files
}

// Remove deletes everything that the server holds, buckets included, behind its clients' backs.
func (s *Server) Remove(t testing.TB) {
	t.Helper()
	for _, folder := range []string{s.objects, s.metadata} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatalf("storagetest: %v", err)
		}
		for _, entry := range entries {
			if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
				t.Fatalf("storagetest: %v", err)
			}
		}
	}
}

func start(ctx context.Context, program, folder string, arguments []string) (*Server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &Server{
		Address:  address,
		Settings: settings(address),
		objects:  filepath.Join(folder, "objects"),
		metadata: filepath.Join(folder, "metadata"),
	}
	for _, dir := range []string{s.objects, s.metadata} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	arguments = slices.Concat([]string{"--port", address, "--quiet", "--keep-alive"}, arguments,
		[]string{"posix", "--sidecar", s.metadata, s.objects})
	command := exec.Command(program, arguments...)
	command.Dir = folder
	command.Env = []string{"ROOT_ACCESS_KEY_ID=" + AccessKey, "ROOT_SECRET_ACCESS_KEY=" + SecretKey,
		"HOME=" + folder}
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	output := new(strings.Builder) // read once the server has ended
	command.Stdout, command.Stderr = output, output
	ended := make(chan struct{})
	started := make(chan error, 1)
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the server dies with the thread that started it
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	s.pid = command.Process.Pid
	s.stop = func() {
		_ = command.Process.Kill()
		<-ended
	}
	if err := s.awaitReachable(ctx, ended); err != nil {
		s.stop()
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	return s, nil
}

func settings(address string) environment.Storage {
	return environment.Storage{
		Endpoint:       "http://" + address,
		AccessKey:      environment.NewSecret(AccessKey),
		SecretKey:      environment.NewSecret(SecretKey),
		Region:         "us-east-1",
		ForcePathStyle: true,
		BucketPrefix:   "narthex",
		Delivery:       "http://" + address,
	}
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// awaitReachable waits until the server takes connections, or has ended.
func (s *Server) awaitReachable(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	for {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp4", s.Address); err == nil {
			return conn.Close()
		}
		select {
		case <-ended:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

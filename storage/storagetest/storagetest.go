// Package storagetest provides an S3 server for tests: versitygw, which checks signatures, expiry and hashes
// like Amazon's service. Each call of New starts a separate process, with its objects in a folder of the
// test.
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

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// The credentials of every server.
const (
	AccessKey = "storagetest"
	SecretKey = "storagetest-secret-key"
)

const startDeadline = 30 * time.Second

// Server is one test's S3 service, without content at first. It is stopped when the test ends.
type Server struct {
	Address  string          // host:port
	Settings setting.Storage // with path-style URLs; change a copy for other settings
	objects  string
	metadata string // in files, so that the file system needs no extended attributes
	pid      int
	stop     func()
}

// New starts a server and waits until it accepts connections. The arguments are additional global options of
// versitygw.
func New(t testing.TB, arguments ...string) *Server {
	t.Helper()
	s, err := Start(t.Context(), t.TempDir(), arguments...)
	if err != nil {
		t.Fatalf("storagetest: %v", err)
	}
	t.Cleanup(s.stop)
	return s
}

// Start is New for programs that are not tests. The objects are stored in folder, and the caller must stop
// the server.
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

// PID returns the server's process id, for callers that stop or freeze it.
func (s *Server) PID() int { return s.pid }

// Stop ends the server now, with its connections.
func (s *Server) Stop() { s.stop() }

// Files returns the paths of all files of the server, relative to its folder: objects as bucket/key, and
// remains of unfinished uploads.
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

// Remove deletes all objects and buckets directly on the disk, without the service's clients.
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
	output := new(strings.Builder) // read only after the server has ended
	command.Stdout, command.Stderr = output, output
	ended := make(chan struct{})
	started := make(chan error, 1)
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the server is killed when the thread that started it ends
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

func settings(address string) setting.Storage {
	return setting.Storage{
		Endpoint:       "http://" + address,
		AccessKey:      setting.NewSecret(AccessKey),
		SecretKey:      setting.NewSecret(SecretKey),
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

// awaitReachable waits until the server accepts connections, or has ended.
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

package process_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestModulesDieWithTheirHost kills the host, which then cannot stop its modules.
func TestModulesDieWithTheirHost(t *testing.T) {
	rows := map[string]*syscall.SysProcAttr{"as it is": nil}
	if os.Geteuid() == 0 {
		rows = map[string]*syscall.SysProcAttr{
			"module's own uid":  nil, // a change of uid clears the parent-death signal
			"unprivileged host": {Credential: &syscall.Credential{Uid: 65534, Gid: 65534, Groups: []uint32{}}},
		}
	}
	for name, attributes := range rows {
		t.Run(name, func(t *testing.T) {
			host := exec.Command("/proc/self/exe")
			host.Env = []string{"NARTHEX_TEST_HOST=" + executable(t, "ignore-stop")}
			host.Dir = "/"
			host.SysProcAttr = attributes
			out, err := host.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			host.Stderr = os.Stderr
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("strconv.Atoi: error %v, want none; line %v", err, line)
			}
			dead := watchExit(t, pid)
			if err := host.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = host.Wait()
			dead()
		})
	}
}

// TestAHostOfLowPriority: a platform whose unit sets Nice=15 can start modules; they get the same niceness.
func TestAHostOfLowPriority(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command("nice", "-n", "15", self)
	host.Env = []string{"NARTHEX_TEST_HOST=" + executable(t, "ignore-stop")}
	host.Dir, host.Stderr = "/", os.Stderr
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = host.Wait() }()
	defer func() { _ = host.Process.Kill() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the module's process: error %v, want it ready", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("strconv.Atoi: error %v, want none; line %v", err, line)
	}
	dead := watchExit(t, pid)
	defer dead()
	if left, err := unix.Getpriority(unix.PRIO_PROCESS, pid); err != nil || 20-left < 15 {
		t.Errorf("the module has nice %d, error %v; want 15, as its host", 20-left, err)
	}
	_ = host.Process.Kill()
}

// runTestHost runs one frozen module, which neither a signal other than SIGKILL nor a closed link can end,
// prints its pid and waits to be killed.
func runTestHost(executable string) {
	config := process.Config{
		ModuleID: "sample", ModuleVersion: "1.0.0",
		Executable: executable, Folder: "/", Host: newHost(), Log: zap.NewNop(),
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil { // as for the real host
		os.Exit(1)
	}
	if os.Geteuid() == 0 {
		config.Credential = &process.Credential{UID: 70009, GID: 70009}
	}
	p := process.New(config)
	go func() {
		fmt.Fprintln(os.Stderr, p.Serve(context.Background()))
		os.Exit(1)
	}()
	<-p.Ready()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	var response abi.HandleResponse
	var o observation
	if p.Call(ctx, abi.Method_METHOD_HANDLE, &abi.HandleRequest{Path: []byte("/tell")}, &response) != nil ||
		json.Unmarshal(response.Body, &o) != nil {
		os.Exit(1)
	}
	go func() { _ = p.Call(ctx, abi.Method_METHOD_HANDLE, &abi.HandleRequest{Path: []byte("/freeze")}, nil) }()
	if unix.Waitid(unix.P_PID, o.PID, nil, unix.WSTOPPED|unix.WNOWAIT, nil) != nil {
		os.Exit(1)
	}
	fmt.Println(o.PID)
	<-ctx.Done()
}

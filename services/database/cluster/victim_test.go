package cluster_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/waittest"
)

// victimVariable makes the test binary run as a process that starts a cluster and is killed.
const victimVariable = "NARTHEX_TEST_CLUSTER_DIR"

func runVictim() {
	started, err := cluster.Start(context.Background(), cluster.Options{Dir: os.Getenv(victimVariable),
		FsyncOff: true})
	if err != nil {
		fmt.Println("failed", err)
		return
	}
	fmt.Println("pid", started.PID())
	select {}
}

func TestTheServerEndsWhenItsOwnerIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster from another process")
	}
	t.Parallel()
	pid := killOwner(t, folder(t))
	waittest.Until(t, "end of the orphan", func() bool { return gone(pid) })
}

func TestAStartThatMeetsTheServerOfAKilledOwnerWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts two clusters from other processes")
	}
	t.Parallel()
	dir := folder(t)
	pid := killOwner(t, dir)
	again := start(t, dir)
	if !gone(pid) {
		t.Error("two servers on the same data")
	}
	query(t, again, "SELECT 1")
}

// killOwner starts a process that runs a cluster, kills it, and returns the pid of its server.
func killOwner(t *testing.T, dir string) (pid int) {
	t.Helper()
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), victimVariable+"="+dir)
	output, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(output).ReadString('\n')
	if pid, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid "))); err != nil {
		t.Fatalf("the victim said %q", line)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	return pid
}

func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(status), ") Z ") // a zombie: another process must reap it
}

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// TestWritesBesideBursts: three processes of one installation write the same row, and record each write in
// the activity, while something else takes all processors for 1 to 4 s at a time. No request is refused. With
// -short one process after the other is stopped instead, while PostgreSQL and the others go on.
func TestWritesBesideBursts(t *testing.T) {
	t.Parallel()
	random := randomtest.New(randomtest.Seed(t), 0)
	processes := startReplicas(t, 3)
	bursts, longest := 12, 4*time.Second
	burst := func(_ int, length time.Duration) { takeProcessors(t, length) }
	if testing.Short() {
		bursts, longest = 4, 3*time.Second // a request gives up after 5 s, which pass for a stopped process, too
		burst = func(n int, length time.Duration) {
			daemon := processes[n%len(processes)].daemon
			daemon.signal(t, syscall.SIGSTOP)
			<-time.After(length)
			daemon.signal(t, syscall.SIGCONT)
		}
	}
	var over atomic.Bool
	var writers sync.WaitGroup
	var writes, number atomic.Int64
	for _, one := range processes {
		owner := one.signIn(t, ownerAddress, ownerPassword)
		for range 2 {
			writers.Go(func() {
				for !over.Load() {
					sent := time.Now()
					got, err := owner.doContext(t.Context(), "PUT", "/api/v1/house",
						object{"name": fmt.Sprint("House ", number.Add(1)), "accent": "plum", "language": "en"})
					if err != nil || got.status != http.StatusOK {
						t.Errorf("PUT /api/v1/house at %s, sent at %v: status %d, error %v, body %.200q; want 200",
							owner.address, sent.UTC(), got.status, err, got.body)
					}
					writes.Add(1)
				}
			})
		}
	}
	for n := range bursts {
		length := time.Second + time.Duration(random.Int64N(int64(longest-time.Second)))
		before := writes.Load()
		burst(n, length)
		eventually(t, "every process writes again", func() bool { return writes.Load() >= before+20 })
	}
	over.Store(true)
	writers.Wait()
	recorded := processes[0].column(t, `SELECT count(*)::text FROM core.activity WHERE action = 'house.changed'`)
	if want := strconv.FormatInt(writes.Load(), 10); recorded[0] != want {
		t.Errorf("%s of %s writes are in the activity", recorded[0], want)
	}
	t.Logf("%d bursts, %d writes", bursts, writes.Load())
}

// startReplicas starts processes of one installation, each at its own address.
func startReplicas(t *testing.T, count int) (processes []*replica) {
	t.Helper()
	first := install(t)
	for n := range count {
		one := first
		if n > 0 {
			port := strconv.Itoa(porttest.Free(t))
			one = &installation{db: first.db, address: "http://localhost:" + port,
				environment: maps.Clone(first.environment)}
			one.environment["SERVICE_API_PORT"] = port
			one.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = one.address
		}
		processes = append(processes, &replica{installation: one, daemon: one.start(t)})
	}
	return processes
}

// takeProcessors leaves the other programs of the machine hardly any of the processors' time. The loops end
// with this program, however that ends.
func takeProcessors(t *testing.T, length time.Duration) {
	t.Helper()
	loops := strconv.Itoa(40 * runtime.NumCPU())
	loop := "while [ -d /proc/" + strconv.Itoa(os.Getpid()) + " ]; do :; done"
	command := exec.Command("sh", "-c", "for n in $(seq "+loops+"); do "+loop+" & done; wait")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	<-time.After(length)
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	_ = command.Wait()
}

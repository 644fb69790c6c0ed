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
// the activity, while something else takes all processors for 1 to 4 s at a time. No request is refused.
func TestWritesBesideBursts(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes all processors again and again")
	}
	t.Parallel()
	random := randomtest.New(randomtest.Seed(t), 0)
	writeBeside(t, 12, func(int, *writing) {
		takeProcessors(t, time.Second+time.Duration(random.Int64N(int64(3*time.Second))))
	})
}

// TestWritesBesideAStoppedProcess: one of three processes stands still in the middle of a write, and holds
// nothing up: the others write the same row. Only a request to the stopped process may be refused, because
// the time that a request has passes for it, too.
func TestWritesBesideAStoppedProcess(t *testing.T) {
	t.Parallel()
	random := randomtest.New(randomtest.Seed(t), 0)
	writeBeside(t, 3, func(n int, w *writing) {
		w.stops[n].Add(1)
		w.processes[n].daemon.signal(t, syscall.SIGSTOP)
		<-time.After(time.Second + time.Duration(random.Int64N(int64(2*time.Second))))
		w.processes[n].daemon.signal(t, syscall.SIGCONT)
		w.stops[n].Add(1)
	})
}

// writing are processes that are asked to write.
type writing struct {
	processes []*replica
	stops     []atomic.Int64 // how often each was stopped and continued
}

// writeBeside calls burst again and again while clients of three processes write the same row.
func writeBeside(t *testing.T, bursts int, burst func(n int, w *writing)) {
	t.Helper()
	const count = 3
	w := &writing{startReplicas(t, count), make([]atomic.Int64, count)}
	var over atomic.Bool
	var writers sync.WaitGroup
	var writes, unsure, number atomic.Int64
	for at, one := range w.processes {
		owner := one.signIn(t, ownerAddress, ownerPassword)
		for range 2 {
			writers.Go(func() {
				for !over.Load() {
					sent, stops := time.Now(), w.stops[at].Load()
					got, err := owner.doContext(t.Context(), "PUT", "/api/v1/house",
						object{"name": fmt.Sprint("House ", number.Add(1)), "accent": "plum", "language": "en",
							"timeZone": nil, "secondFactor": "optional"})
					if err == nil && got.status == http.StatusOK {
						writes.Add(1)
						continue
					}
					unsure.Add(1)
					if stops%2 == 0 && w.stops[at].Load() == stops {
						t.Errorf("PUT /api/v1/house at %s, sent at %v: status %d, error %v, body %.200q; want 200",
							owner.address, sent.UTC(), got.status, err, got.body)
					}
				}
			})
		}
	}
	for n := range bursts {
		before := writes.Load()
		burst(n, w)
		eventually(t, "every process writes again", func() bool { return writes.Load() >= before+20 })
	}
	over.Store(true)
	writers.Wait()
	recorded, err := strconv.ParseInt(w.processes[0].column(t,
		`SELECT count(*)::text FROM core.activity WHERE action = 'house.changed'`)[0], 10, 64)
	if err != nil || recorded < writes.Load() || recorded > writes.Load()+unsure.Load() {
		t.Errorf("%d of %d writes are in the activity, and %d requests were refused: %v", recorded, writes.Load(),
			unsure.Load(), err)
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

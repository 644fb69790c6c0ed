package conformance

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The memory check sends its requests in rounds. In the first round a runtime allocates its working memory. A
// module that keeps something of every request uses more after each further round.
const (
	manyCalls   = 12_000
	rounds      = 6
	together    = 4               // concurrent requests
	mayGrow     = 12 << 20        // bytes in all rounds that a collector may leave
	growsByNow  = 1 << 20         // growth in bytes in one round below which memory counts as constant
	roundWithin = 5 * time.Second // after this time a round ends with the requests sent so far
)

func checkMemory(ctx context.Context, t *trial) outcome {
	asked := t.live.process.Routes()
	if reads := readsOf(asked); len(reads) > 0 {
		asked = reads // writes may fill the module's tables and so make later responses longer
	}
	if len(asked) == 0 {
		return notApplicable("the module has no route")
	}
	if err := t.live.awaitReady(ctx, 0); err != nil {
		return failed("%v", err)
	}
	before := t.live.process.Status().Starts
	var resident []int64
	sent := 0
	for range rounds {
		answered, lost := t.live.sendMany(ctx, asked, t.options.calls/rounds)
		sent += answered
		status := t.live.process.Status()
		switch end := status.LastEnd; {
		case status.Starts != before || status.State != process.Ready:
			if end != nil && end.Kind == process.EndMemory {
				return failed("the process reached its bound of %d MiB and ended", status.MemoryLimit>>20)
			}
			return failed("the process ended: %s", t.lastEnd())
		case lost > 0:
			return failed("%d requests had no answer of the module's", lost)
		}
		resident = append(resident, status.Memory)
	}
	if grows(resident) {
		return failed("%v MiB after each of %d rounds, %d requests in all", mebibytes(resident), rounds, sent)
	}
	return passed("%d MiB after %d requests", resident[rounds-1]>>20, sent)
}

// grows reports whether memory grew in every round and by more than a garbage collector explains.
func grows(resident []int64) bool {
	for n := 1; n < len(resident); n++ {
		if resident[n] < resident[n-1]+growsByNow {
			return false
		}
	}
	return resident[len(resident)-1]-resident[0] > mayGrow
}

func mebibytes(bytes []int64) (all []int64) {
	for _, n := range bytes {
		all = append(all, n>>20)
	}
	return all
}

func readsOf(routes []*abi.Route) (reads []*abi.Route) {
	for _, route := range routes {
		if route.GetMethod() == "GET" {
			reads = append(reads, route)
		}
	}
	return reads
}

// sendMany sends up to n requests, each route in turn. It returns how many got a response of the module, and
// how many did not.
func (i *installation) sendMany(ctx context.Context, routes []*abi.Route, n int) (answered, lost int) {
	var next, good, bad atomic.Int64
	until := time.Now().Add(roundWithin)
	var senders sync.WaitGroup
	for range together {
		senders.Go(func() {
			for {
				turn := next.Add(1)
				if turn > int64(n) || bad.Load() > 0 || ctx.Err() != nil || time.Now().After(until) {
					return
				}
				route := routes[turn%int64(len(routes))]
				if i.send(ctx, i.small(route, theOwner)).failedByHost() {
					bad.Add(1)
				} else {
					good.Add(1)
				}
			}
		})
	}
	senders.Wait()
	return int(good.Load()), int(bad.Load())
}

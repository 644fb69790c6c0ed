package conformance

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/process"
)

func checkCrash(ctx context.Context, t *trial) outcome {
	before := t.live.process.Status().Starts
	if !t.live.process.Kill() {
		return failed("no process was ready")
	}
	if err := t.live.awaitReady(ctx, before); err != nil {
		return failed("%s", t.why(&firstRun{ended: err}))
	}
	if routes := t.live.process.Routes(); len(routes) > 0 {
		if got := t.live.send(ctx, t.live.small(routes[0], theOwner)); got.failedByHost() {
			return failed("%s of the next process: %s", pattern(routes[0]), got)
		}
	}
	return passed("ready again")
}

func checkHangUp(ctx context.Context, t *trial) outcome {
	before := t.live.process.Status().Starts
	if !t.live.process.HangUp() {
		return failed("no process was ready")
	}
	if err := t.live.awaitReady(ctx, before); err != nil {
		return failed("%v", err)
	}
	end := t.live.process.Status().LastEnd
	if end == nil || end.Kind != process.EndExit && end.Kind != process.EndSignal {
		return failed("it went on, and was killed")
	}
	return passed("%s", endWords(*end))
}

// checkOutput stops the module and does not start it again.
func checkOutput(ctx context.Context, t *trial) outcome {
	t.run(ctx) // in case no check before has started it
	t.stopLive()
	var kept, dropped int64
	for _, end := range t.log.of("module process ended") {
		bytes, _ := end.fields["output_bytes"].(int64)
		more, _ := end.fields["output_bytes_dropped"].(int64)
		kept, dropped = kept+bytes, dropped+more
	}
	if dropped > 0 {
		return failed("%d bytes were kept and %d dropped", kept, dropped)
	}
	return passed("%d bytes", kept)
}

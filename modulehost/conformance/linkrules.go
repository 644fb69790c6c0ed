package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The rules of docs/link.md that no frame breaks.
const (
	ruleAnswer = "1 every call gets exactly one answer or failure"
	rulePing   = "5 a ping is answered, however busy the handlers are"
	ruleClosed = "8 a closed socket ends the link"
)

// intact pings the module after a request. Its pong comes after everything that it has sent before, so a
// broken rule is noticed here and not at the next route. starts is how many runs had begun before the
// request. If the link was lost, intact returns what happened, and waits for the next process.
func (t *trial) intact(ctx context.Context, starts int64) *outcome {
	within, cancel := context.WithTimeout(ctx, t.pingWithin())
	defer cancel()
	p := t.live.process
	err := p.Ping(within)
	if err == nil && p.Status().Starts == starts {
		return nil
	}
	if within.Err() != nil && ctx.Err() == nil {
		return broken(rulePing, "a ping was not answered")
	}
	if back := t.live.awaitReady(ctx, starts); back != nil {
		return broken(t.brokenRule(), "the process ended, and no other was ready: %v", back)
	}
	return broken(t.brokenRule(), "the process ended: %s", t.lastEnd())
}

// brokenRule returns the rule by which the latest link was lost; "" if it was lost for another reason.
func (t *trial) brokenRule() string {
	ends := t.log.of("module process ended")
	if len(ends) == 0 {
		return ""
	}
	if rule, broken := ends[len(ends)-1].fields["link_rule"].(string); broken {
		return rule
	}
	if lost := t.log.of("module process lost"); len(lost) > 0 && t.live != nil {
		switch reason, _ := lost[len(lost)-1].fields["reason"].(string); reason {
		case "ping unanswered":
			return rulePing
		case "link lost":
			if end := t.live.process.Status().LastEnd; end != nil && end.Kind == process.EndLink {
				return ruleClosed
			}
		}
	}
	return ""
}

func (t *trial) pingWithin() time.Duration {
	if own := t.options.deadlines.Ping; own > 0 {
		return own
	}
	return deadlines.Ping
}

// pings is how many pings are sent while a request of each route is in progress.
const pings = 3

func checkPings(ctx context.Context, t *trial) outcome {
	starts := t.live.process.Status().Starts
	for range pings {
		if o := t.intact(ctx, starts); o != nil {
			return *o
		}
	}
	for _, route := range t.live.process.Routes() {
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			_ = t.live.send(ctx, t.live.small(route, theOwner))
		}()
		o := t.intact(ctx, starts)
		<-sent
		if o != nil {
			return withAction("ping during "+pattern(route), *o)
		}
	}
	return passed("%d pings", pings+len(t.live.process.Routes()))
}

func checkSchedules(ctx context.Context, t *trial) outcome {
	p := t.live.process
	if len(p.Schedules()) == 0 {
		return notApplicable("the module has no schedule")
	}
	starts := p.Status().Starts
	for _, s := range p.Schedules() {
		asked := fmt.Sprintf("Run of the schedule %.32q", s.GetName())
		within, cancel := context.WithTimeout(ctx, deadlines.Run)
		_, err := p.Run(within, s.GetName())
		late := within.Err() != nil
		cancel()
		switch code := failureCode(err); {
		case late:
			return withAction(asked, *broken(ruleAnswer, "no answer in time"))
		case code == "METHOD_UNKNOWN":
			return withAction(asked, failed("the module declares it and does not know the call"))
		}
		if o := t.intact(ctx, starts); o != nil {
			return withAction(asked, *o)
		}
		within, cancel = context.WithTimeout(ctx, t.pingWithin())
		running, err := p.Running(within, s.GetName())
		cancel()
		switch {
		case err != nil:
			return withAction(asked, *broken(ruleAnswer, "no answer to ask_only in time"))
		case running:
			return withAction(asked, failed("after its answer it says that the run goes on"))
		}
	}
	return passed("%d schedules", len(p.Schedules()))
}

// noMethod is a name that no capability has.
const noMethod = "narthex-conform"

func checkCapabilities(ctx context.Context, t *trial) outcome {
	p := t.live.process
	if len(p.Capabilities()) == 0 {
		return notApplicable("the module provides no capability")
	}
	starts := p.Status().Starts
	for _, capability := range p.Capabilities() {
		asked := fmt.Sprintf("Provide of %.128s, with a method that it does not have", capability)
		within, cancel := context.WithTimeout(ctx, deadlines.Capability)
		err := p.Call(within, abi.Method_METHOD_PROVIDE, &abi.ProvideRequest{Capability: capability,
			Method: noMethod, Input: []byte("{}"), Caller: "conformance"}, &abi.ProvideResponse{})
		late := within.Err() != nil
		cancel()
		switch code := failureCode(err); {
		case late:
			return withAction(asked, *broken(ruleAnswer, "no answer in time"))
		case code == "METHOD_UNKNOWN":
			return withAction(asked, failed("the module provides it and does not know the call"))
		}
		if o := t.intact(ctx, starts); o != nil {
			return withAction(asked, *o)
		}
		if err == nil {
			return withAction(asked, failed("an answer, as if the method existed"))
		}
	}
	return passed("%d capabilities", len(p.Capabilities()))
}

// failureCode returns the code with which the module refused a call; "" if it did not.
func failureCode(err error) string {
	if f, refused := errors.AsType[*link.Failure](err); refused {
		return f.CodeText
	}
	return ""
}

package conformance

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// answers records the module's responses, before the gateway turns them into HTTP responses.
type answers struct {
	mu    sync.Mutex
	count int
	asked string // the request whose response was the first to break a rule
	rule  error  // the rule that it broke
}

type seenKey struct{}

// seenAnswer holds the module's response. It is filled in while the request is handled.
type seenAnswer struct{ response *abi.HandleResponse }

// completeWithin is shorter than the platform's wait for a response.
const completeWithin = 25 * time.Second

// observe returns a handler that records the module's responses. Many requests may call it at once.
func (a *answers) observe(moduleID string, i *installation, handle httpapi.Handler) httpapi.Handler {
	return func(c *httpapi.Call) error {
		i.serving.Add(1)
		defer i.serving.Add(-1)
		seen := &seenAnswer{}
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), seenKey{}, seen))
		asked := c.Request.Method + " " + c.Request.URL.Path
		began := time.Now()
		err := handle(c)
		// The response to a cancelled call may be arriving now, so only a complete one may be read.
		complete := c.Request.Context().Err() == nil && time.Since(began) < completeWithin
		if complete && seen.response.GetStatus() != 0 {
			a.judge(moduleID, asked, seen.response)
		}
		return err
	}
}

func (a *answers) judge(moduleID, asked string, response *abi.HandleResponse) {
	rule := gateway.CheckResponse(moduleID, response)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	if rule != nil && a.rule == nil {
		a.asked, a.rule = asked, rule
	}
}

func checkAnswers(_ context.Context, t *trial) outcome {
	t.answers.mu.Lock()
	defer t.answers.mu.Unlock()
	switch {
	case t.answers.rule != nil:
		return withAction(t.answers.asked, failed("%v", t.answers.rule))
	case t.answers.count == 0:
		return notApplicable("the module answered nothing")
	}
	return passed("%d answers", t.answers.count)
}

// endWords describes how a process ended.
func endWords(end process.End) string {
	if end.Code == nil {
		return string(end.Kind)
	}
	return fmt.Sprintf("%s %d", end.Kind, *end.Code)
}

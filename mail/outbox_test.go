package mail_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/supervisor"
)

var _ supervisor.Service = (*mail.Outbox)(nil)

// gate is a sender whose messages wait until they are let through, or their time is up.
type gate struct {
	begun chan string // subjects
	pass  chan mail.SendResult
}

func newGate() *gate {
	return &gate{begun: make(chan string, 2000), pass: make(chan mail.SendResult, 2000)}
}

func (g *gate) Send(ctx context.Context, m mail.Message) mail.SendResult {
	g.begun <- m.Subject
	select {
	case outcome := <-g.pass:
		return outcome
	case <-ctx.Done():
		return mail.Timeout
	}
}

// next waits for the next message that begins.
func (g *gate) next(t *testing.T) string {
	t.Helper()
	return within(t, g.begun)
}

func within[T any](t *testing.T, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	return value
}

type senderFunc func(context.Context, mail.Message) mail.SendResult

func (f senderFunc) Send(ctx context.Context, m mail.Message) mail.SendResult { return f(ctx, m) }

func newOutbox(sender mail.Sender) (*mail.Outbox, *observer.ObservedLogs) {
	core, logs := observer.New(zap.DebugLevel)
	return mail.NewOutbox(sender, zap.New(core)), logs
}

// serve runs the outbox until stop is called; what Serve returned comes after.
func serve(t *testing.T, o *mail.Outbox) (stop func(), ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan error, 1)
	go func() { end <- o.Serve(ctx) }()
	t.Cleanup(cancel)
	return cancel, end
}

func composed(compose func(context.Context) (mail.Message, bool)) mail.Email {
	return mail.Email{Compose: compose}
}

func subject(text string) mail.Email {
	return composed(func(context.Context) (mail.Message, bool) { return mail.Message{Subject: text}, true })
}

// lines are the log as text, in order.
func lines(logs *observer.ObservedLogs) []string {
	var all []string
	for _, entry := range logs.All() {
		all = append(all, fmt.Sprint(entry.Message, entry.ContextMap()))
	}
	return all
}

func TestTheQueueHasAnEnd(t *testing.T) {
	t.Parallel()
	o, logs := newOutbox(newGate())
	for i := range 1_000 {
		if !o.Post(subject("x")) {
			t.Fatalf("number %d was dropped", i)
		}
	}
	for range 2 {
		if o.Post(subject("x")) {
			t.Error("one too many was queued")
		}
	}
	if got := lines(logs); !slices.Equal(got, []string{"mail droppedmap[]", "mail droppedmap[]"}) {
		t.Errorf("%q", got)
	}
}

func TestFourAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		o, _ := newOutbox(g)
		stop, ended := serve(t, o)
		for range 12 {
			o.Post(subject("x"))
		}
		for sent := range 9 {
			synctest.Wait()
			if len(g.begun) != sent+4 { // each that ends lets one more begin
				t.Errorf("%d begun when %d have ended", len(g.begun), sent)
			}
			g.pass <- mail.Sent
		}
		for range 3 {
			g.pass <- mail.Sent
		}
		stop()
		within(t, ended)
	})
}

func TestLettersAreComposedElsewhere(t *testing.T) {
	t.Parallel()
	o, _ := newOutbox(newGate())
	times := make(chan time.Duration, 1)
	o.Post(composed(func(ctx context.Context) (mail.Message, bool) {
		deadline, _ := ctx.Deadline()
		times <- time.Until(deadline)
		return mail.Message{}, false
	}))
	if len(times) != 0 {
		t.Error("Post composed the letter")
	}
	stop, ended := serve(t, o)
	if left := within(t, times); left <= 0 || left > 30*time.Second {
		t.Errorf("a letter has %v", left)
	}
	stop()
	within(t, ended)
}

// TestTheLogSaysNoMoreThanTheOutcome goes through every outcome, a letter that is none after all, and a panic.
func TestTheLogSaysNoMoreThanTheOutcome(t *testing.T) {
	t.Parallel()
	g := newGate()
	o, logs := newOutbox(g)
	outcomes := []mail.SendResult{
		mail.Sent, mail.NotConfigured, mail.MessageInvalid, mail.ConnectionFailed, mail.TLSFailed, mail.AuthenticationFailed, mail.Rejected, mail.Timeout,
	}
	for _, outcome := range outcomes {
		g.pass <- outcome
		o.Post(composed(func(context.Context) (mail.Message, bool) {
			return mail.Message{To: []string{"marked@example.net"}, Subject: "marked", Text: "marked"}, true
		}))
	}
	o.Post(composed(func(context.Context) (mail.Message, bool) { return mail.Message{Subject: "marked"}, false }))
	for range 8 { // more than there are workers
		o.Post(composed(func(context.Context) (mail.Message, bool) { panic("marked") }))
	}
	stop, ended := serve(t, o)
	stop()
	within(t, ended)
	want := slices.Repeat([]string{"mail letter panickedmap[]"}, 8)
	for _, outcome := range outcomes[2:] {
		want = append(want, fmt.Sprintf("mail not sentmap[outcome:%s]", outcome))
	}
	got := lines(logs)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestStopFinishesWhatIsUnderWayAndTheQueue(t *testing.T) {
	t.Parallel()
	g := newGate()
	o, logs := newOutbox(g)
	stop, ended := serve(t, o)
	for range 10 {
		o.Post(subject("x"))
	}
	for range 4 {
		g.next(t)
	}
	stop()
	for range 10 {
		g.pass <- mail.Sent
	}
	if err := within(t, ended); err != context.Canceled {
		t.Error(err)
	}
	if o.Waiting() != 0 || len(g.begun) != 6 || len(lines(logs)) != 0 {
		t.Errorf("%d waiting, %d more begun, %q", o.Waiting(), len(g.begun), lines(logs))
	}
}

// TestStopDropsWhatTakesTooLong: what is under way is not cut off, and the queue has its 5 s from then on.
func TestStopDropsWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, release := make(chan string, 20), make(chan struct{})
		o, logs := newOutbox(senderFunc(func(ctx context.Context, m mail.Message) mail.SendResult {
			begun <- m.Subject
			if m.Subject == "early" {
				<-release
				return mail.Sent
			}
			<-ctx.Done()
			return mail.Timeout
		}))
		stop, ended := serve(t, o)
		for range 4 {
			o.Post(subject("early"))
		}
		for range 4 {
			within(t, begun)
		}
		for range 16 {
			o.Post(subject("late"))
		}
		stop()
		time.Sleep(20 * time.Second)
		close(release)
		released := time.Now()
		for range 4 {
			if within(t, begun) != "late" {
				t.Error("a letter was begun twice")
			}
		}
		within(t, ended)
		if took := time.Since(released); took != 5*time.Second {
			t.Errorf("the queue had %v", took)
		}
		want := append(slices.Repeat([]string{"mail not sentmap[outcome:TIMEOUT]"}, 4), "mail droppedmap[letters:12]")
		if got := lines(logs); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
	})
}

func TestALetterHasItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		o, logs := newOutbox(g)
		stop, ended := serve(t, o)
		o.Post(subject("x"))
		g.next(t)
		time.Sleep(30*time.Second - time.Millisecond)
		synctest.Wait()
		if got := lines(logs); len(got) != 0 {
			t.Errorf("early: %q", got)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if got := lines(logs); !slices.Equal(got, []string{"mail not sentmap[outcome:TIMEOUT]"}) {
			t.Errorf("%q", got)
		}
		stop()
		within(t, ended)
	})
}

func TestTheQueueOutlivesARun(t *testing.T) {
	t.Parallel()
	g := newGate()
	o, _ := newOutbox(g)
	stop, ended := serve(t, o)
	stop()
	within(t, ended)
	o.Post(subject("after"))
	stop, ended = serve(t, o)
	if got := g.next(t); got != "after" {
		t.Error(got)
	}
	g.pass <- mail.Sent
	stop()
	within(t, ended)
	within(t, o.Ready())
}

// TestThroughARealServer is the whole way: posted, composed, sent.
func TestThroughARealServer(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	in := newInbox(t, ca.config(t, host, time.Hour), false)
	transport, _ := newTransport(t, settings(environment.StartTLS), in.listener)
	transport.Trust(ca.roots())
	o, logs := newOutbox(transport)
	for range 10 {
		o.Post(composed(func(context.Context) (mail.Message, bool) { return letter(), true }))
	}
	stop, ended := serve(t, o)
	for deadline := time.Now().Add(patience); len(in.happened().mails) < 10 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	stop() // which gives the queue 5 s, and a slow machine may need more
	within(t, ended)
	if mails := in.happened().mails; len(mails) != 10 || len(lines(logs)) != 0 {
		t.Errorf("%d mails, %q", len(mails), lines(logs))
	}
}

// Whoever posted a letter is told how it ended, with time left to write that down, also when the letter has used up its own.
func TestSettled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		o, _ := newOutbox(g)
		type settled struct {
			outcome mail.SendResult
			left    time.Duration
		}
		told := make(chan settled, 3)
		letter := func(text string) mail.Email {
			l := subject(text)
			l.Done = func(ctx context.Context, outcome mail.SendResult) {
				end, _ := ctx.Deadline()
				left := time.Until(end)
				if ctx.Err() != nil {
					left = 0
				}
				told <- settled{outcome, left}
			}
			return l
		}
		stop, ended := serve(t, o)
		for _, outcome := range []mail.SendResult{mail.Sent, mail.Rejected} {
			o.Post(letter("answered"))
			g.pass <- outcome
			if got := within(t, told); got != (settled{outcome, 2 * time.Second}) {
				t.Errorf("after %s the letter was told %+v", outcome, got)
			}
		}
		o.Post(letter("never answered"))
		synctest.Wait()
		stop()
		if got := within(t, told); got != (settled{mail.Timeout, 2 * time.Second}) {
			t.Errorf("after a timeout the letter was told %+v", got)
		}
		o.Post(mail.Email{
			Compose: func(context.Context) (mail.Message, bool) { return mail.Message{}, false },
			Done:    func(context.Context, mail.SendResult) { t.Error("a letter that was none was settled") },
		})
		within(t, ended)
	})
}

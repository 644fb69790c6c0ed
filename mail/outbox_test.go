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
	"github.com/narthex-platform/narthex/services/waittest"
	"github.com/narthex-platform/narthex/supervisor"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

var _ supervisor.Service = (*mail.Outbox)(nil)

// gatedSender blocks every message until the test releases it or its context ends.
type gatedSender struct {
	begun chan string // subjects
	pass  chan mail.SendResult
}

func newGatedSender() *gatedSender {
	return &gatedSender{begun: make(chan string, 2000), pass: make(chan mail.SendResult, 2000)}
}

func (g *gatedSender) Send(ctx context.Context, m mail.Message) mail.SendResult {
	g.begun <- m.Subject
	select {
	case result := <-g.pass:
		return result
	case <-ctx.Done():
		return mail.Timeout
	}
}

// next waits until sending of the next message begins, and returns its subject.
func (g *gatedSender) next(t *testing.T) string {
	t.Helper()
	return receive(t, g.begun)
}

func receive[T any](t *testing.T, from <-chan T) (value T) {
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

// serve runs the outbox until stop is called; ended then receives what Serve returned.
func serve(t *testing.T, o *mail.Outbox) (stop func(), ended <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	end := make(chan error, 1)
	go func() { end <- o.Serve(ctx) }()
	t.Cleanup(cancel)
	return cancel, end
}

func emailOf(compose func(context.Context) (mail.Message, bool)) mail.Email {
	return mail.Email{Compose: compose}
}

func emailWithSubject(text string) mail.Email {
	return emailOf(func(context.Context) (mail.Message, bool) { return mail.Message{Subject: text}, true })
}

// logLines returns the log as text, in order.
func logLines(logs *observer.ObservedLogs) []string {
	var all []string
	for _, entry := range logs.All() {
		all = append(all, fmt.Sprint(entry.Message, entry.ContextMap()))
	}
	return all
}

func TestPostDropsWhenFull(t *testing.T) {
	t.Parallel()
	o, logs := newOutbox(newGatedSender())
	for i := range 1_000 {
		if !o.Post(emailWithSubject("x")) {
			t.Fatalf("mail %d of 1,000 was dropped, want it queued", i+1)
		}
	}
	for range 2 {
		if o.Post(emailWithSubject("x")) {
			t.Error("one too many was queued")
		}
	}
	if got := logLines(logs); !slices.Equal(got, []string{"mail droppedmap[]", "mail droppedmap[]"}) {
		t.Errorf("log %q, want one line for each of the two mails dropped", got)
	}
}

func TestFourMailsAreSentAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGatedSender()
		o, _ := newOutbox(g)
		stop, ended := serve(t, o)
		for range 12 {
			o.Post(emailWithSubject("x"))
		}
		for sent := range 9 {
			synctest.Wait()
			if len(g.begun) != sent+4 { // each message that ends allows one more to begin
				t.Errorf("%d mails have begun when %d have ended, want %d", len(g.begun), sent, sent+4)
			}
			g.pass <- mail.Sent
		}
		for range 3 {
			g.pass <- mail.Sent
		}
		stop()
		receive(t, ended)
	})
}

func TestComposeRunsOnAWorker(t *testing.T) {
	t.Parallel()
	o, _ := newOutbox(newGatedSender())
	times := make(chan time.Duration, 1)
	o.Post(emailOf(func(ctx context.Context) (mail.Message, bool) {
		deadline, _ := ctx.Deadline()
		times <- time.Until(deadline)
		return mail.Message{}, false
	}))
	if len(times) != 0 {
		t.Error("Post composed the email")
	}
	stop, ended := serve(t, o)
	if left := receive(t, times); left <= 0 || left > 30*time.Second {
		t.Errorf("an email has %v left, want at most 30 s", left)
	}
	stop()
	receive(t, ended)
}

// TestLogHoldsOnlyTheResult posts an email for every result, one that Compose cancels, and some that panic.
func TestLogHoldsOnlyTheResult(t *testing.T) {
	t.Parallel()
	g := newGatedSender()
	o, logs := newOutbox(g)
	results := []mail.SendResult{
		mail.Sent, mail.NotConfigured, mail.MessageInvalid, mail.ConnectionFailed, mail.TLSFailed,
		mail.AuthenticationFailed, mail.Rejected, mail.Timeout,
	}
	for _, result := range results {
		g.pass <- result
		o.Post(emailOf(func(context.Context) (mail.Message, bool) {
			return mail.Message{To: []string{"marked@example.net"}, Subject: "marked", Text: "marked"}, true
		}))
	}
	o.Post(
		emailOf(func(context.Context) (mail.Message, bool) { return mail.Message{Subject: "marked"}, false }),
	)
	for range 8 { // more than there are workers
		o.Post(emailOf(func(context.Context) (mail.Message, bool) { panic("marked") }))
	}
	stop, ended := serve(t, o)
	stop()
	receive(t, ended)
	want := slices.Repeat([]string{"mail panickedmap[]"}, 8)
	for _, result := range results[2:] {
		want = append(want, fmt.Sprintf("mail not sentmap[result:%s]", result))
	}
	got := logLines(logs)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("log %q, want %q", got, want)
	}
}

func TestStopDrainsTheQueue(t *testing.T) {
	t.Parallel()
	g := newGatedSender()
	o, logs := newOutbox(g)
	stop, ended := serve(t, o)
	for range 10 {
		o.Post(emailWithSubject("x"))
	}
	for range 4 {
		g.next(t)
	}
	stop()
	for range 10 {
		g.pass <- mail.Sent
	}
	if err := receive(t, ended); err != context.Canceled {
		t.Error(err)
	}
	if o.Waiting() != 0 || len(g.begun) != 6 || len(logLines(logs)) != 0 {
		t.Errorf("%d wait and %d have begun, want 0 and 6; log %q, want nothing", o.Waiting(), len(g.begun),
			logLines(logs))
	}
}

// TestStopDropsAfterDrainTime checks that an email in progress is completed, and that the queue then has 5 s.
func TestStopDropsAfterDrainTime(t *testing.T) {
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
			o.Post(emailWithSubject("early"))
		}
		for range 4 {
			receive(t, begun)
		}
		for range 16 {
			o.Post(emailWithSubject("late"))
		}
		stop()
		time.Sleep(20 * time.Second)
		close(release)
		released := time.Now()
		for range 4 {
			if receive(t, begun) != "late" {
				t.Error("an email was begun twice")
			}
		}
		receive(t, ended)
		if took := time.Since(released); took != 5*time.Second {
			t.Errorf("the queue had %v after the stop, want 5 s", took)
		}
		want := append(
			slices.Repeat([]string{"mail not sentmap[result:TIMEOUT]"}, 4),
			"mail droppedmap[emails:12]",
		)
		if got := logLines(logs); !slices.Equal(got, want) {
			t.Errorf("log %q, want %q", got, want)
		}
	})
}

func TestEmailTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGatedSender()
		o, logs := newOutbox(g)
		stop, ended := serve(t, o)
		o.Post(emailWithSubject("x"))
		g.next(t)
		time.Sleep(30*time.Second - time.Millisecond)
		synctest.Wait()
		if got := logLines(logs); len(got) != 0 {
			t.Errorf("log just before 30 s: %q, want nothing", got)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if got := logLines(logs); !slices.Equal(got, []string{"mail not sentmap[result:TIMEOUT]"}) {
			t.Errorf("log at 30 s: %q, want one TIMEOUT", got)
		}
		stop()
		receive(t, ended)
	})
}

func TestQueueSurvivesARestart(t *testing.T) {
	t.Parallel()
	g := newGatedSender()
	o, _ := newOutbox(g)
	stop, ended := serve(t, o)
	stop()
	receive(t, ended)
	o.Post(emailWithSubject("after"))
	stop, ended = serve(t, o)
	if got := g.next(t); got != "after" {
		t.Error(got)
	}
	g.pass <- mail.Sent
	stop()
	receive(t, ended)
	receive(t, o.Ready())
}

// TestThroughARealServer posts, composes and sends mails through a real mail server.
func TestThroughARealServer(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	in := startMailServer(t, ca.config(t, host, time.Hour), false)
	transport, _ := newTransport(t, settings(setting.StartTLS), in.listener)
	transport.Trust(ca.roots())
	o, logs := newOutbox(transport)
	for range 10 {
		o.Post(emailOf(func(context.Context) (mail.Message, bool) { return testMessage(), true }))
	}
	stop, ended := serve(t, o)
	waittest.Until(t, "the server receives ten mails", func() bool { return len(in.seen().mails) >= 10 })
	stop() // called only now, because it gives the queue only 5 s and a slow machine may need more
	receive(t, ended)
	if mails := in.seen().mails; len(mails) != 10 || len(logLines(logs)) != 0 {
		t.Errorf("the server received %d mails, want 10; log %q, want nothing", len(mails), logLines(logs))
	}
}

// TestDoneAfterTheTimeIsUsedUp checks that Done gets the result and 2 s of its own, also after the email has
// used up its time.
func TestDoneAfterTheTimeIsUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGatedSender()
		o, _ := newOutbox(g)
		type settled struct {
			result mail.SendResult
			left   time.Duration
		}
		told := make(chan settled, 3)
		email := func(text string) mail.Email {
			l := emailWithSubject(text)
			l.Done = func(ctx context.Context, result mail.SendResult) {
				end, _ := ctx.Deadline()
				left := time.Until(end)
				if ctx.Err() != nil {
					left = 0
				}
				told <- settled{result, left}
			}
			return l
		}
		stop, ended := serve(t, o)
		for _, result := range []mail.SendResult{mail.Sent, mail.Rejected} {
			o.Post(email("answered"))
			g.pass <- result
			if got := receive(t, told); got != (settled{result, 2 * time.Second}) {
				t.Errorf("after %s Done was called with %+v, want the result and 2 s", result, got)
			}
		}
		o.Post(email("never answered"))
		synctest.Wait()
		stop()
		if got := receive(t, told); got != (settled{mail.Timeout, 2 * time.Second}) {
			t.Errorf("after a timeout Done was called with %+v, want TIMEOUT and 2 s", got)
		}
		o.Post(mail.Email{
			Compose: func(context.Context) (mail.Message, bool) { return mail.Message{}, false },
			Done:    func(context.Context, mail.SendResult) { t.Error("an email that was none was settled") },
		})
		receive(t, ended)
	})
}

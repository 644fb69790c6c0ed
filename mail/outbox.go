package mail

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	outboxPlaces  = 1_000
	outboxWorkers = 4
)

// doneTime limits a call of Email.Done.
const doneTime = 2 * time.Second

// Email is one email in the outbox. A worker of the outbox calls both functions. They may use the database,
// and they must return when ctx ends.
type Email struct {
	// Compose writes the message when a worker takes the email from the queue. It returns false if there is
	// nothing to send any more. Compose and the attempt to send have 30 s together, or the rest of the 5 s that
	// Serve keeps for its queue when it stops.
	Compose func(ctx context.Context) (m Message, ok bool)

	// Done receives the result of the attempt. It may be nil, and it is not called if Compose returned false.
	// Its ctx ends after 2 s, whatever time the attempt took.
	Done func(ctx context.Context, result SendResult)
}

// Outbox sends emails outside of requests. It has a queue of 1,000 in memory and 4 workers, and makes one
// attempt for each email. It is a supervisor.Service. Queued emails are lost when the process dies. When
// the service stops, those that cannot be sent in time are dropped.
type Outbox struct {
	sender    Sender
	log       *zap.Logger
	queue     chan Email // survives a restart of Serve
	ready     chan struct{}
	perEmail  time.Duration // to compose and send one email
	drainTime time.Duration // to send the rest of the queue after a stop
	dropped   atomic.Int64
}

// NewOutbox makes an empty outbox. It sends nothing until Serve runs; Post may be called before.
func NewOutbox(sender Sender, log *zap.Logger) *Outbox {
	ready := make(chan struct{})
	close(ready)
	return &Outbox{
		sender:    sender,
		log:       log,
		queue:     make(chan Email, outboxPlaces),
		ready:     ready,
		perEmail:  deadlines.Email,
		drainTime: 5 * time.Second,
	}
}

// Post queues an email, or drops it if the queue is full. It never blocks and is safe for concurrent use,
// at any time.
func (o *Outbox) Post(email Email) (queued bool) {
	select {
	case o.queue <- email:
		return true
	default:
		o.dropped.Add(1)
		o.log.Warn("mail dropped")
		return false
	}
}

// Serve sends emails until ctx ends. Then the workers finish the emails they are sending. When the first
// worker is free, the queue gets 5 s more; what is left after that is dropped. So Serve returns within 39 s
// of the stop, and at once if nothing is being sent or queued.
func (o *Outbox) Serve(ctx context.Context) error {
	lasting := context.WithoutCancel(ctx)
	startDrain := sync.OnceValues(func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(lasting, o.drainTime)
	})
	var workers sync.WaitGroup
	for range outboxWorkers {
		workers.Go(func() {
			o.work(ctx, lasting)
			drain, _ := startDrain() // the first worker that gets here starts the 5 s
			o.drain(drain)
		})
	}
	workers.Wait()
	_, cancel := startDrain()
	cancel()
	o.dropQueued()
	return ctx.Err()
}

// Ready is closed from the beginning.
func (o *Outbox) Ready() <-chan struct{} { return o.ready }

// Figures returns how many emails wait, and how many were dropped since the process began.
func (o *Outbox) Figures() (queued int, dropped int64) { return len(o.queue), o.dropped.Load() }

// String names the service.
func (o *Outbox) String() string { return "mail outbox" }

// work sends emails until ctx ends. The end of ctx does not cancel an email that is being sent.
func (o *Outbox) work(ctx, lasting context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case email := <-o.queue:
			o.send(lasting, email)
		}
	}
}

// drain sends queued emails until the queue is empty or ctx ends.
func (o *Outbox) drain(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case email := <-o.queue:
			o.send(ctx, email)
		default:
			return
		}
	}
}

func (o *Outbox) send(ctx context.Context, email Email) {
	defer func() {
		if recover() != nil { // the value is not logged: it may name the recipient
			o.log.Error("mail panicked")
		}
	}()
	turn, cancel := context.WithTimeout(ctx, o.perEmail)
	defer cancel()
	m, ok := email.Compose(turn)
	if !ok {
		return
	}
	result := o.sender.Send(turn, m)
	if result != Sent && result != NotConfigured {
		o.log.Warn("mail not sent", zap.String("result", string(result)))
	}
	if email.Done != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), doneTime)
		defer cancel()
		email.Done(ctx, result)
	}
}

func (o *Outbox) dropQueued() {
	dropped := 0
	for range len(o.queue) {
		select {
		case <-o.queue:
			dropped++
		default:
		}
	}
	if dropped > 0 {
		o.dropped.Add(int64(dropped))
		o.log.Warn("mail dropped", zap.Int("emails", dropped))
	}
}

package mail

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
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

// Outbox sends letters off the path of requests: a queue of 1,000 in memory and 4 workers, one attempt each (contract.md §2). It is a
// supervisor.Service. What is queued when the process dies is lost; when the service stops, what cannot be sent in time is dropped.
type Outbox struct {
	sender Sender
	log    *zap.Logger
	queue  chan Email // outlives a run of Serve
	ready  chan struct{}
	turn   time.Duration // for one letter, composed and sent
	rest   time.Duration // for the queue, after a stop
}

// NewOutbox makes an empty outbox. It sends nothing before Serve; Post may come first.
func NewOutbox(sender Sender, log *zap.Logger) *Outbox {
	ready := make(chan struct{})
	close(ready)
	return &Outbox{
		sender: sender,
		log:    log,
		queue:  make(chan Email, outboxPlaces),
		ready:  ready,
		turn:   30 * time.Second,
		rest:   5 * time.Second,
	}
}

// Post queues a letter, or drops it when the queue is full. It never blocks and may be called from anywhere, at any time.
func (o *Outbox) Post(letter Email) (queued bool) {
	select {
	case o.queue <- letter:
		return true
	default:
		o.log.Warn("mail dropped")
		return false
	}
}

// Serve sends until ctx ends. Then letters under way come to their end, the queue is sent on for 5 s from when the first of them has,
// and what is left is dropped. So it returns within 39 s of the stop, and at once when nothing is under way or queued.
func (o *Outbox) Serve(ctx context.Context) error {
	lasting := context.WithoutCancel(ctx)
	rest := sync.OnceValues(func() (context.Context, context.CancelFunc) { return context.WithTimeout(lasting, o.rest) })
	var workers sync.WaitGroup
	for range outboxWorkers {
		workers.Go(func() {
			o.work(ctx, lasting)
			last, _ := rest() // the first worker that is free starts its clock
			o.finish(last)
		})
	}
	workers.Wait()
	_, cancel := rest()
	cancel()
	o.dropRest()
	return ctx.Err()
}

// Ready is closed at once: an outbox has nothing to wait for.
func (o *Outbox) Ready() <-chan struct{} { return o.ready }

// String names the service.
func (o *Outbox) String() string { return "mail outbox" }

// work sends letters until ctx ends.
func (o *Outbox) work(ctx, lasting context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case letter := <-o.queue:
			o.send(lasting, letter)
		}
	}
}

// finish sends what is queued until rest ends.
func (o *Outbox) finish(rest context.Context) {
	for rest.Err() == nil {
		select {
		case letter := <-o.queue:
			o.send(rest, letter)
		default:
			return
		}
	}
}

func (o *Outbox) send(ctx context.Context, letter Email) {
	defer func() {
		if recover() != nil { // its value may tell of the recipient
			o.log.Error("mail letter panicked")
		}
	}()
	turn, cancel := context.WithTimeout(ctx, o.turn)
	defer cancel()
	m, ok := letter.Compose(turn)
	if !ok {
		return
	}
	outcome := o.sender.Send(turn, m)
	if outcome != Sent && outcome != NotConfigured {
		o.log.Warn("mail not sent", zap.String("outcome", string(outcome)))
	}
	if letter.Done != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), doneTime)
		defer cancel()
		letter.Done(ctx, outcome)
	}
}

func (o *Outbox) dropRest() {
	dropped := 0
	for range len(o.queue) {
		select {
		case <-o.queue:
			dropped++
		default:
		}
	}
	if dropped > 0 {
		o.log.Warn("mail dropped", zap.Int("letters", dropped))
	}
}

package people

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	lookEvery  = 10 * time.Second // for what another process noted, and for what is to be tried again
	tellWithin = 30 * time.Second // shorter than the first pause, so that no two calls about a person overlap
)

// Modules are the modules that this process runs.
type Modules interface {
	// Callable returns the ids of those that can be called now. One without server code can: it has nothing to
	// forget.
	Callable() []string
	// Forget lets a module forget a person. It succeeds for a module that did not ask to be told.
	Forget(ctx context.Context, moduleID, userID string) error
}

// Erasures tells modules whom they have to forget, until each has. Every process of an installation does;
// the rows of core.person_erasure decide which of them. Safe for concurrent use, but only one Serve may run
// at a time.
type Erasures struct {
	store   *Store
	modules Modules
	log     *zap.Logger
	every   time.Duration
	wake    chan struct{}
	ready   chan struct{}

	mu sync.Mutex
	// busy are the modules that a goroutine is telling; true: there may be more to tell since it last looked.
	busy map[string]bool
}

// NewErasures starts nothing.
func NewErasures(store *Store, modules Modules, log *zap.Logger) *Erasures {
	ready := make(chan struct{})
	close(ready)
	return &Erasures{
		store: store, modules: modules, log: log, every: lookEvery,
		wake: make(chan struct{}, 1), ready: ready, busy: make(map[string]bool),
	}
}

// Look lets Serve look at once. It never blocks.
func (e *Erasures) Look() {
	select {
	case e.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Serve tells modules until ctx ends. Then it lets the calls under way end, and gives back what they did not
// complete, so that the next process need not wait.
func (e *Erasures) Serve(ctx context.Context) error {
	var calls sync.WaitGroup
	defer calls.Wait()
	next := time.NewTicker(e.every)
	defer next.Stop()
	for failed := false; ; {
		due, err := e.store.erasuresDue(ctx, e.modules.Callable())
		if err != nil && !failed && ctx.Err() == nil {
			e.log.Warn("erasures not read") // without the cause, which may quote rows
		}
		failed = err != nil
		for _, moduleID := range due {
			if e.begin(moduleID) {
				calls.Go(func() { e.tell(ctx, moduleID) })
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		case <-e.wake:
		}
	}
}

// Ready is closed from the start: nobody waits for an erasure.
func (e *Erasures) Ready() <-chan struct{} { return e.ready }

// String names the service.
func (e *Erasures) String() string { return "erasures" }

// begin reports whether the caller is to tell the module: nobody does so already.
func (e *Erasures) begin(moduleID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, busy := e.busy[moduleID]
	e.busy[moduleID] = busy
	return !busy
}

// ended reports whether the goroutine that tells the module can end: nothing came since it last looked.
func (e *Erasures) ended(moduleID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy[moduleID] {
		e.busy[moduleID] = false
		return false
	}
	delete(e.busy, moduleID)
	return true
}

// tell tells one module of one person after the other. A module that fails is not asked about anybody else
// now: that would fail as well.
func (e *Erasures) tell(ctx context.Context, moduleID string) {
	for ctx.Err() == nil {
		userID, found, err := e.store.claimErasure(ctx, moduleID)
		if err == nil && found {
			err = e.tellOne(ctx, moduleID, userID)
		}
		if err != nil && ctx.Err() == nil {
			e.log.Warn("module has not forgotten a person, trying again later", zap.String("module", moduleID))
		}
		if (err != nil || !found) && e.ended(moduleID) {
			return
		}
	}
}

func (e *Erasures) tellOne(ctx context.Context, moduleID, userID string) error {
	within, cancel := context.WithTimeout(ctx, tellWithin)
	defer cancel()
	err := e.modules.Forget(within, moduleID, userID)
	switch {
	case err == nil:
		return e.store.forgotten(ctx, moduleID, userID)
	case ctx.Err() != nil:
		return e.store.giveBack(ctx, moduleID, userID)
	}
	return err
}

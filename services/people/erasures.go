package people

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/store"
)

const (
	lookEvery  = 10 * time.Second // for erasures that another process recorded, and for those to be tried again
	tellWithin = 30 * time.Second // shorter than the first pause, so that no two calls about a person overlap
)

// Modules are the modules that this process runs.
type Modules interface {
	// Callable returns the ids of the modules that can be called now. A module without server code is among
	// them: it has no data to delete.
	Callable() []string
	// Forget makes a module delete its data about a person. It succeeds for a module that has not asked for such
	// calls.
	Forget(ctx context.Context, moduleID, userID string) error
}

// Erasures tells each module which erased people it has to forget, and repeats that until the module has
// succeeded. Every process of an installation runs an Erasures. The rows of core.person_erasure decide which
// process calls the module. Safe for concurrent use, but only one Serve may run at a time.
type Erasures struct {
	store   *Store
	modules Modules
	log     *zap.Logger
	every   time.Duration
	wake    chan struct{}
	ready   chan struct{}

	mu sync.Mutex
	// busy has an entry for each module whose tell goroutine runs. The value is true when Serve found erasures
	// due again after the goroutine started; then it reads the table once more before it ends.
	busy map[string]bool
}

// NewErasures makes an Erasures. It starts no goroutine.
func NewErasures(store *Store, modules Modules, log *zap.Logger) *Erasures {
	ready := make(chan struct{})
	close(ready)
	return &Erasures{
		store: store, modules: modules, log: log, every: lookEvery,
		wake: make(chan struct{}, 1), ready: ready, busy: make(map[string]bool),
	}
}

// Look makes Serve read the due erasures at once. It never blocks.
func (e *Erasures) Look() {
	select {
	case e.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// Serve tells modules until ctx ends. Then it waits for the calls in progress and releases the erasures that
// they did not complete, so that the next process can try them at once.
func (e *Erasures) Serve(ctx context.Context) error {
	var calls sync.WaitGroup
	defer calls.Wait()
	next := time.NewTicker(e.every)
	defer next.Stop()
	for failed := false; ; {
		due, err := e.store.erasuresDue(ctx, e.modules.Callable())
		if err != nil && !failed && ctx.Err() == nil {
			e.log.Warn("erasures not read", zap.String("cause", string(store.CauseOf(err))))
		}
		failed = err != nil
		for _, moduleID := range due {
			if e.begin(moduleID) {
				calls.Go(func() { e.callModule(ctx, moduleID) })
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

// Ready is closed from the start, because no other service waits for an erasure.
func (e *Erasures) Ready() <-chan struct{} { return e.ready }

// String names the service.
func (e *Erasures) String() string { return "erasures" }

// begin reports whether the caller has to start the module's callModule goroutine: there is none yet.
func (e *Erasures) begin(moduleID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, busy := e.busy[moduleID]
	e.busy[moduleID] = busy
	return !busy
}

// mayEnd reports whether the module's callModule goroutine can end, because no more erasures were found due
// since the last call.
func (e *Erasures) mayEnd(moduleID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy[moduleID] {
		e.busy[moduleID] = false
		return false
	}
	delete(e.busy, moduleID)
	return true
}

// callModule calls one module for one person after the other. After a failure it stops, because the next call
// would probably fail too.
func (e *Erasures) callModule(ctx context.Context, moduleID string) {
	for ctx.Err() == nil {
		userID, found, err := e.store.claimErasure(ctx, moduleID)
		if err == nil && found {
			err = e.callOnce(ctx, moduleID, userID)
		}
		if err != nil && ctx.Err() == nil {
			e.log.Warn("module has not forgotten a person, trying again later", zap.String("module", moduleID))
		}
		if (err != nil || !found) && e.mayEnd(moduleID) {
			return
		}
	}
}

func (e *Erasures) callOnce(ctx context.Context, moduleID, userID string) error {
	within, cancel := context.WithTimeout(ctx, tellWithin)
	defer cancel()
	err := e.modules.Forget(within, moduleID, userID)
	switch {
	case err == nil:
		return e.store.forgotten(ctx, moduleID, userID)
	case ctx.Err() != nil:
		return e.store.releaseClaim(ctx, moduleID, userID)
	}
	return err
}

// Package facade serves the calls that a module makes to its host: SQL in its own schema, objects in its own
// buckets, whether a request's caller holds a permission, its secrets, its realtime channels, capabilities of
// other modules, mail, the settings of the house, and lines in the log. Each process of a module has a
// session, which ends with the process and releases everything that the process used.
package facade

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Caller is the sender of one request in progress.
type Caller interface {
	Principal() principal.Principal
	Allowed(ctx context.Context, permission string) (bool, error)
}

// Config holds the parts of one module's facade.
type Config struct {
	ModuleID     string
	Pool         *database.ModulePool // uses the module's own role; nil without a database
	Secrets      map[string]string    // the deployment's values for the manifest's secret keys
	Capabilities Capabilities         // calls other modules; nil: none can be called
	Buckets      map[string]Bucket    // by the manifest's bucket ids
	Mail         mail.Sender          // nil: NOT_CONFIGURED
	People       People               // nil: the manifest does not request names
	House        func() House         // nil: nothing was set for the house
	Links        Links                // nil: the manifest has no page for links
	Realtime     Realtime             // nil: every channel is unknown
	Log          *zap.Logger
}

// Facade serves the calls of one module. Safe for concurrent use.
type Facade struct {
	config  Config
	lines   lineBudget
	gets    chan struct{} // a slot for each open get
	puts    chan struct{}
	idleFor time.Duration
	mails   mailBudget
	names   chan struct{} // a slot for each call

	mu       sync.Mutex
	nextID   uint64
	calls    map[uint64]Caller
	sessions uint64 // sessions opened so far
}

// New returns the facade of one module, for all runs of its process.
func New(config Config) *Facade {
	return &Facade{
		config:  config,
		gets:    make(chan struct{}, openGets),
		puts:    make(chan struct{}, openPuts),
		idleFor: deadlines.IdleHandle,
		mails:   newMailBudget(),
		names:   make(chan struct{}, namesAtOnce),
		calls:   make(map[uint64]Caller),
	}
}

// EnterCall gives a request an id, by which the module can query its caller's permissions until leave is
// called.
func (f *Facade) EnterCall(caller Caller) (id uint64, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.nextID++
	id = f.nextID
	f.calls[id] = caller
	return id, func() {
		f.mu.Lock()
		delete(f.calls, id)
		f.mu.Unlock()
	}
}

func (f *Facade) caller(id uint64) (Caller, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	caller, found := f.calls[id]
	return caller, found
}

// Open returns a session for a new run of the process.
func (f *Facade) Open() process.Session {
	ctx, end := context.WithCancel(context.Background())
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions++
	return &session{facade: f, process: f.sessions, ctx: ctx, end: end, leases: make(map[uint64]*lease),
		handles: make(map[uint64]*handle)}
}

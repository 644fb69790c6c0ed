// Package facade owns what a module may ask of its host: its own database schema and buckets, whether the
// caller of a request holds a permission, its secrets, its realtime channels, what other modules provide,
// mail, and a line in the log. A module process gets a session, which ends with the process and leaves
// nothing of it behind.
package facade

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/database"
)

// Caller is the sender of one request in progress, and knows its permissions.
type Caller interface {
	Allowed(ctx context.Context, permission string) (bool, error)
}

// Config is what one module's facade is made of.
type Config struct {
	ModuleID     string
	Pool         *database.ModulePool // under the module's own role; nil without a database
	Secrets      map[string]string    // what the deployment supplies for the manifest's secret keys
	Capabilities Capabilities         // what it reaches of other modules; nil: nothing
	Buckets      map[string]Bucket    // by the ids that the manifest declares
	Mail         mail.Sender          // nil: NOT_CONFIGURED
	People       People               // nil: the manifest does not ask for names
	Realtime     Realtime             // nil: no channel is known
	Memory       *hostmemory.Account  // what the host holds for the module; nil: not counted
	Log          *zap.Logger
}

// Facade serves the calls of one module. Safe for concurrent use.
type Facade struct {
	config  Config
	lines   lineBudget
	gets    chan struct{} // a place for each that is open
	puts    chan struct{}
	idleFor time.Duration
	mails   mailBudget
	names   chan struct{} // a place for each call

	mu       sync.Mutex
	nextID   uint64
	calls    map[uint64]Caller
	sessions uint64 // sessions opened so far
}

// New makes the facade of one module, for all runs of its process.
func New(config Config) *Facade {
	return &Facade{
		config:  config,
		gets:    make(chan struct{}, openGets),
		puts:    make(chan struct{}, openPuts),
		idleFor: idleFor,
		mails:   newMailBudget(),
		names:   make(chan struct{}, namesAtOnce),
		calls:   make(map[uint64]Caller),
	}
}

// EnterCall names a request, so that the module can ask about its caller until leave is called.
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

// Open begins the session of one run of the process.
func (f *Facade) Open() process.Session {
	ctx, end := context.WithCancel(context.Background())
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions++
	return &session{facade: f, process: f.sessions, ctx: ctx, end: end, leases: make(map[uint64]*lease),
		handles: make(map[uint64]*handle)}
}

package sdktest

import (
	"context"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// DatabaseLoss is the moment at which the module's connections to the database break.
type DatabaseLoss int

const (
	// BeforeStatement: before the next statement, which is not executed. Its transaction is rolled back. The
	// module gets PostgreSQL's last error, a *sdk.DatabaseError with SQLState 57P01, or
	// sdk.ErrDatabaseUnavailable. HandleFunc turns both into 503 STORE_UNAVAILABLE.
	BeforeStatement DatabaseLoss = iota + 1
	// BeforeCommit: before the next commit. The transaction is rolled back. The module gets the same errors.
	BeforeCommit
	// AfterCommit: after the next commit was executed. The module gets sdk.ErrDatabaseUnavailable.
	AfterCommit
)

// faults are the faults that a test has requested, each for the next call of its kind.
type faults struct {
	mu           sync.Mutex
	database     DatabaseLoss // 0: none
	overloaded   int          // this many calls are refused
	permissions  int
	names        int
	capabilities map[string][]error
	cancel       map[Moment]func()

	storage  []error
	delay    time.Duration
	cutAfter int64 // bytes; negative: whole objects
}

// LoseDatabase breaks the module's connections to its database, once, as a restart of PostgreSQL would.
func (m *Module) LoseDatabase(when DatabaseLoss) {
	m.tb.Helper()
	if m.manifest.Database == nil {
		m.tb.Fatal("sdktest: the manifest declares no database")
	}
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.database = when
}

// Overload makes the platform refuse the next calls of the module with sdk.ErrHostOverloaded, as for a module
// that uses too much of the platform's memory. Lines of its log are not counted.
func (m *Module) Overload(calls int) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.overloaded = calls
}

// FailPermissions makes the next calls of Host.Can fail with sdk.ErrPrincipalUnresolved. The gate before the
// module's routes is not affected: a request that the gate refuses never reaches the module.
func (m *Module) FailPermissions(calls int) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.permissions = calls
}

// FailNames makes the next calls of Host.People.Names fail with sdk.ErrStoreUnavailable.
func (m *Module) FailNames(calls int) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.names = calls
}

// FailCapability makes the next calls of another module's capability fail with these errors, each of which is
// sdk.ErrCapabilityAbsent or sdk.ErrCapabilityFailed.
func (m *Module) FailCapability(capability string, errs ...sdk.Error) {
	m.tb.Helper()
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	if m.faults.capabilities == nil {
		m.faults.capabilities = make(map[string][]error)
	}
	for _, err := range errs {
		if err != sdk.ErrCapabilityAbsent && err != sdk.ErrCapabilityFailed {
			m.tb.Fatalf("sdktest: a capability does not fail with %s", err)
		}
		m.faults.capabilities[capability] = append(m.faults.capabilities[capability], facade.Error(err))
	}
}

// capability returns the error for the next call of a capability, or nil.
func (f *faults) capability(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	failures := f.capabilities[id]
	if len(failures) == 0 {
		return nil
	}
	f.capabilities[id] = failures[1:]
	return failures[0]
}

// take decrements a number of failures. It returns false when none is left.
func (f *faults) take(left *int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *left == 0 {
		return false
	}
	*left--
	return true
}

// takeDatabase returns and resets the requested loss of the database if it is one of these, else 0.
func (f *faults) takeDatabase(losses ...DatabaseLoss) DatabaseLoss {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, loss := range losses {
		if f.database == loss {
			f.database = 0
			return loss
		}
	}
	return 0
}

// serve returns a handler that causes the faults and otherwise calls the platform's facade.
func (m *Module) serve(next link.Handler) link.Handler {
	m.counter.handler = next
	return func(ctx context.Context, method link.Method, payload []byte) (proto.Message, error) {
		m.counter.add(abi.Method(method), payload)
		m.faults.leave(ctx, momentOf(abi.Method(method)))
		if abi.Method(method) != abi.Method_METHOD_LOG && m.faults.take(&m.faults.overloaded) {
			return nil, facade.ErrHostOverloaded
		}
		switch abi.Method(method) {
		case abi.Method_METHOD_QUERY, abi.Method_METHOD_EXEC, abi.Method_METHOD_BATCH:
			if m.faults.takeDatabase(BeforeStatement) != 0 {
				m.disconnect()
			}
		case abi.Method_METHOD_COMMIT:
			switch m.faults.takeDatabase(BeforeCommit, AfterCommit) {
			case BeforeCommit:
				m.disconnect()
			case AfterCommit:
				if _, err := next(ctx, method, payload); err != nil {
					return nil, err
				}
				m.disconnect()
				return nil, facade.ErrDatabaseUnavailable
			}
		case abi.Method_METHOD_ALLOWED:
			if m.faults.take(&m.faults.permissions) {
				return nil, httpapi.ErrPrincipal // as for a real caller whose grants cannot be read
			}
		}
		return next(ctx, method, payload)
	}
}

// disconnect terminates the module's sessions in PostgreSQL and waits until they have ended.
func (m *Module) disconnect() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := m.db.Pool(m.tb).Exec(ctx, `
		SELECT pg_terminate_backend(pid, 5000)
		FROM pg_stat_activity
		WHERE datname = current_database() AND usename = $1`, m.role); err != nil {
		m.tb.Error("sdktest: ", err)
	}
}

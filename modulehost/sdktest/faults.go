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

// DatabaseLoss is when the module's connections to the database break.
type DatabaseLoss int

const (
	// BeforeStatement: with the next statement, which is not done. What its transaction has done is lost, too.
	// The module gets what PostgreSQL says at its end, a *sdk.DatabaseError of SQLState 57P01, or
	// sdk.ErrDatabaseUnavailable; a handler's client 503 STORE_UNAVAILABLE for both.
	BeforeStatement DatabaseLoss = iota + 1
	// BeforeCommit: with the next commit, and nothing of the transaction is kept. The module gets the same.
	BeforeCommit
	// AfterCommit: with the next commit, which is done, but the module gets sdk.ErrDatabaseUnavailable.
	AfterCommit
)

// faults are those that a test has switched on, each for the next call of its kind.
type faults struct {
	mu           sync.Mutex
	database     DatabaseLoss // 0: none
	overloaded   int          // so many calls are refused
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

// Overload lets the platform refuse the next calls of the module with sdk.ErrHostOverloaded, which a module
// gets that keeps too much open. Lines of its log are not counted.
func (m *Module) Overload(calls int) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.overloaded = calls
}

// FailPermissions lets the next calls of Host.Can fail with sdk.ErrPrincipalUnresolved. The gate before the
// module's routes is not affected: a request that it refuses never reaches the module.
func (m *Module) FailPermissions(calls int) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.permissions = calls
}

// FailNames lets the next calls of Host.People.Names fail with sdk.ErrStoreUnavailable.
func (m *Module) FailNames(calls int) {
	m.faults.mu.Lock()
	defer m.faults.mu.Unlock()
	m.faults.names = calls
}

// FailCapability lets the next calls of another module's capability end with these errors, which are
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

// capability returns how the next call of a capability fails.
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

// take uses up one of a number of failures.
func (f *faults) take(left *int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *left == 0 {
		return false
	}
	*left--
	return true
}

// takeDatabase uses up a loss of the database if it is one of these.
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

// serve puts the faults between the module and the platform's facade.
func (m *Module) serve(next link.Handler) link.Handler {
	return func(ctx context.Context, method link.Method, payload []byte) (proto.Message, error) {
		m.faults.leave(ctx, momentOf(abi.Method(method)))
		if abi.Method(method) != abi.Method_METHOD_LOG && m.faults.take(&m.faults.overloaded) {
			return nil, facade.ErrHostOverloaded
		}
		switch abi.Method(method) {
		case abi.Method_METHOD_QUERY, abi.Method_METHOD_EXEC:
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
				return nil, httpapi.ErrPrincipal // as of the real caller, whose grants cannot be read
			}
		}
		return next(ctx, method, payload)
	}
}

// disconnect ends the module's sessions in PostgreSQL, and waits for that.
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

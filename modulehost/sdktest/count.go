package sdktest

import (
	"encoding/binary"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// Calls are the calls of a module to the platform that cost most.
type Calls struct {
	Statements   int            // of the database, with each of a batch
	Exchanges    int            // with the database, in which these were sent
	Capabilities map[string]int // to other modules, by the capability

	queries []*abi.QueryRequest
}

// Count returns the calls that the module makes while f runs: how much a page asks for.
func (m *Module) Count(f func()) Calls {
	m.counter.begin()
	f()
	return m.counter.end()
}

// Plans returns PostgreSQL's plans of the statements that were counted, which it runs again. They must be
// queries outside transactions.
func (m *Module) Plans(of Calls) []databasetest.Plan {
	m.tb.Helper()
	plans := make([]databasetest.Plan, len(of.queries))
	for i, query := range of.queries {
		payload, err := proto.Marshal(&abi.QueryRequest{Sql: "EXPLAIN (ANALYZE, FORMAT JSON) " + query.GetSql(),
			Arguments: query.GetArguments()})
		if err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
		answer, err := m.counter.handler(m.tb.Context(), link.Method(abi.Method_METHOD_QUERY), payload)
		if err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
		row := answer.(*abi.RowsResponse).GetRows()
		plans[i] = databasetest.ReadPlan(m.tb, string(row[4:4+binary.BigEndian.Uint32(row)]))
	}
	return plans
}

type counter struct {
	handler link.Handler // the platform's

	mu    sync.Mutex
	calls *Calls // nil: not counted
}

func (c *counter) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = &Calls{Capabilities: make(map[string]int)}
}

func (c *counter) end() Calls {
	c.mu.Lock()
	defer c.mu.Unlock()
	counted := *c.calls
	c.calls = nil
	return counted
}

func (c *counter) add(method abi.Method, payload []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		return
	}
	switch method {
	case abi.Method_METHOD_QUERY:
		c.addQuery(payload)
	case abi.Method_METHOD_BATCH:
		var request abi.BatchRequest
		_ = proto.Unmarshal(payload, &request) // a damaged one has no statements
		for _, one := range request.GetStatements() {
			c.calls.queries = append(c.calls.queries,
				&abi.QueryRequest{Sql: one.GetSql(), Arguments: one.GetArguments()})
		}
		c.calls.Statements += len(request.GetStatements())
		c.calls.Exchanges++
	case abi.Method_METHOD_EXEC, abi.Method_METHOD_BEGIN, abi.Method_METHOD_COMMIT, abi.Method_METHOD_ROLLBACK:
		c.calls.Statements++
		c.calls.Exchanges++
	case abi.Method_METHOD_FETCH:
		c.calls.Exchanges++
	case abi.Method_METHOD_INVOKE:
		var request abi.InvokeRequest
		_ = proto.Unmarshal(payload, &request)
		c.calls.Capabilities[request.GetCapability()]++
	}
}

func (c *counter) addQuery(payload []byte) {
	var request abi.QueryRequest
	_ = proto.Unmarshal(payload, &request)
	c.calls.queries = append(c.calls.queries, &request)
	c.calls.Statements++
	c.calls.Exchanges++
}

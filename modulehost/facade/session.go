package facade

import (
	"context"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// session is what one process holds: connections under a transaction or with unread rows.
type session struct {
	facade *Facade
	ctx    context.Context // ends with the process
	end    context.CancelFunc

	mu     sync.Mutex
	nextID uint64
	held   map[uint64]*lease
	leases sync.WaitGroup
}

// Serve answers one call of the module.
func (s *session) Serve(ctx context.Context, method link.Method, payload []byte) (proto.Message, error) {
	switch abi.Method(method) {
	case abi.Method_METHOD_QUERY:
		return answer(ctx, payload, s.query)
	case abi.Method_METHOD_FETCH:
		return answer(ctx, payload, s.fetch)
	case abi.Method_METHOD_CLOSE_ROWS:
		return answer(ctx, payload, s.closeRows)
	case abi.Method_METHOD_EXEC:
		return answer(ctx, payload, s.exec)
	case abi.Method_METHOD_BEGIN:
		return answer(ctx, payload, s.begin)
	case abi.Method_METHOD_COMMIT:
		return answer(ctx, payload, s.commit)
	case abi.Method_METHOD_ROLLBACK:
		return answer(ctx, payload, s.rollback)
	case abi.Method_METHOD_ALLOWED:
		return answer(ctx, payload, s.allowed)
	case abi.Method_METHOD_LOG:
		return answer(ctx, payload, s.log)
	case abi.Method_METHOD_SECRET:
		return answer(ctx, payload, s.secret)
	}
	return nil, &link.Failure{CodeText: "METHOD_UNKNOWN"}
}

// answer decodes a request into the type that its function takes.
func answer[Q any, P interface {
	*Q
	proto.Message
}](ctx context.Context, payload []byte, serve func(context.Context, P) (proto.Message, error)) (proto.Message, error) {
	request := P(new(Q))
	if err := proto.Unmarshal(payload, request); err != nil {
		return nil, ErrRequest
	}
	return serve(ctx, request)
}

// Close ends what the process still held: transactions are rolled back, connections go back. It waits for that.
func (s *session) Close() {
	s.end()
	s.leases.Wait()
}

// allowed answers for the module's own permissions only; of a request that is over, nothing is known.
func (s *session) allowed(ctx context.Context, request *abi.AllowedRequest) (proto.Message, error) {
	caller, found := s.facade.caller(request.GetCall())
	if !found || !strings.HasPrefix(request.GetPermission(), s.facade.config.ModuleID+".") {
		return &abi.AllowedResponse{}, nil
	}
	allowed, err := caller.Allowed(ctx, request.GetPermission())
	if err != nil {
		return nil, err
	}
	return &abi.AllowedResponse{Allowed: allowed}, nil
}

// secret knows the module's own keys alone; where a value comes from stays with the host.
func (s *session) secret(_ context.Context, request *abi.SecretRequest) (proto.Message, error) {
	value, found := s.facade.config.Secrets[request.GetKey()]
	if !found {
		return nil, ErrSecretAbsent
	}
	return &abi.SecretResponse{Value: value}, nil
}

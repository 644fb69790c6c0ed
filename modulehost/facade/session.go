package facade

import (
	"context"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// session holds the resources of one process: connections with a transaction or unread rows, and objects that
// are being read or written.
type session struct {
	facade  *Facade
	process uint64          // see Facade.ProcessNumber
	ctx     context.Context // ends with the process
	end     context.CancelFunc

	mu        sync.Mutex
	nextID    uint64
	leases    map[uint64]*lease
	handles   map[uint64]*handle
	resources sync.WaitGroup // leases and handles
}

// Serve serves one call of the module.
func (s *session) Serve(ctx context.Context, method link.Method, payload []byte) (proto.Message, error) {
	switch abi.Method(method) {
	case abi.Method_METHOD_QUERY:
		return decodeAndServe(ctx, payload, s.query)
	case abi.Method_METHOD_FETCH:
		return decodeAndServe(ctx, payload, s.fetch)
	case abi.Method_METHOD_CLOSE_ROWS:
		return decodeAndServe(ctx, payload, s.closeRows)
	case abi.Method_METHOD_EXEC:
		return decodeAndServe(ctx, payload, s.exec)
	case abi.Method_METHOD_BATCH:
		return decodeAndServe(ctx, payload, s.batch)
	case abi.Method_METHOD_BEGIN:
		return decodeAndServe(ctx, payload, s.begin)
	case abi.Method_METHOD_COMMIT:
		return decodeAndServe(ctx, payload, s.commit)
	case abi.Method_METHOD_ROLLBACK:
		return decodeAndServe(ctx, payload, s.rollback)
	case abi.Method_METHOD_ALLOWED:
		return decodeAndServe(ctx, payload, s.allowed)
	case abi.Method_METHOD_LOG:
		return decodeAndServe(ctx, payload, s.log)
	case abi.Method_METHOD_SECRET:
		return decodeAndServe(ctx, payload, s.secret)
	case abi.Method_METHOD_INVOKE:
		return decodeAndServe(ctx, payload, s.invoke)
	case abi.Method_METHOD_PUBLISH:
		return decodeAndServe(ctx, payload, s.publish)
	case abi.Method_METHOD_SEND_MAIL:
		return decodeAndServe(ctx, payload, s.sendMail)
	case abi.Method_METHOD_NAMES:
		return decodeAndServe(ctx, payload, s.names)
	case abi.Method_METHOD_HOUSE:
		return decodeAndServe(ctx, payload, s.house)
	case abi.Method_METHOD_CREATE_LINK:
		return decodeAndServe(ctx, payload, s.createLink)
	case abi.Method_METHOD_REVOKE_LINKS:
		return decodeAndServe(ctx, payload, s.revokeLinks)
	case abi.Method_METHOD_ASSIGN_LINKS:
		return decodeAndServe(ctx, payload, s.assignLinks)
	case abi.Method_METHOD_BUCKET_LIST:
		return decodeAndServe(ctx, payload, s.listBucket)
	case abi.Method_METHOD_BUCKET_HEAD:
		return decodeAndServe(ctx, payload, s.headObject)
	case abi.Method_METHOD_BUCKET_GET:
		return decodeAndServe(ctx, payload, s.getObject)
	case abi.Method_METHOD_BUCKET_READ:
		return decodeAndServe(ctx, payload, s.readObject)
	case abi.Method_METHOD_BUCKET_PUT:
		return decodeAndServe(ctx, payload, s.putObject)
	case abi.Method_METHOD_BUCKET_WRITE:
		return decodeAndServe(ctx, payload, s.writeObject)
	case abi.Method_METHOD_BUCKET_COMMIT:
		return decodeAndServe(ctx, payload, s.commitObject)
	case abi.Method_METHOD_BUCKET_CLOSE:
		return decodeAndServe(ctx, payload, s.closeHandle)
	case abi.Method_METHOD_BUCKET_DELETE:
		return decodeAndServe(ctx, payload, s.deleteObject)
	case abi.Method_METHOD_BUCKET_READ_URL:
		return decodeAndServe(ctx, payload, s.createReadURL)
	}
	return nil, &link.Failure{CodeText: "METHOD_UNKNOWN"}
}

// decodeAndServe decodes a request into the type that serve accepts.
func decodeAndServe[Q any, P interface {
	*Q
	proto.Message
}](ctx context.Context, payload []byte, serve func(context.Context, P) (proto.Message, error)) (proto.Message,
	error) {
	request := P(new(Q))
	if err := proto.Unmarshal(payload, request); err != nil {
		return nil, ErrRequest
	}
	return serve(ctx, request)
}

// Close releases the process's resources and waits until they are released: transactions are rolled back,
// database sessions end, and unfinished puts store nothing. Readers of the module's channels are made to
// reconnect.
func (s *session) Close() {
	s.end()
	s.resources.Wait()
	if pool := s.facade.config.Pool; pool != nil {
		pool.EndSessions()
	}
	if hubs := s.facade.config.Realtime; hubs != nil {
		hubs.Ended(s.facade.config.ModuleID, s.process)
	}
}

// allowed returns true only for the module's own permissions. For a request that has ended it returns false.
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

// secret returns values of the module's own keys only. The module does not learn where a value comes from.
func (s *session) secret(_ context.Context, request *abi.SecretRequest) (proto.Message, error) {
	value, found := s.facade.config.Secrets[request.GetKey()]
	if !found {
		return nil, ErrSecretAbsent
	}
	return &abi.SecretResponse{Value: []byte(value)}, nil
}

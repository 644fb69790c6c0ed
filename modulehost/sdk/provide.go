package sdk

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Methods maps the names of a capability's methods to their handlers.
type Methods map[string]MethodHandler

// MethodHandler serves one method: input is JSON, and output is sent as JSON. Func makes one from a function.
type MethodHandler func(ctx context.Context, input []byte) (output any, err error)

// Func makes a MethodHandler from a function with an In and an Out, both sent as JSON. Keys that In does not
// have are ignored, so that newer callers may send more. ctx ends when the caller stops waiting, after 10 s
// at the latest. After an error, or with an Out of more than 256 KiB, the caller gets CAPABILITY_FAILED and
// nothing else. So a failure that the caller must understand belongs into Out.
func Func[In, Out any](f func(ctx context.Context, in In) (Out, error)) MethodHandler {
	return func(ctx context.Context, input []byte) (any, error) {
		var in In
		if err := decodeOfModule(input, &in); err != nil {
			return nil, err
		}
		return f(ctx, in)
	}
}

// Provide declares a capability that other modules may call. It must be listed in the manifest's provides.
// CallingModule returns the id of the caller. Methods run concurrently with each other and with requests.
//
//	r.Provide("stage.services", sdk.Methods{"list": sdk.Func(m.services), "next": sdk.Func(m.next)})
func (r *Registry) Provide(capability string, methods Methods) {
	if _, twice := r.provided[capability]; twice {
		r.problems = append(r.problems, fmt.Errorf("capability %q is provided twice", capability))
		return
	}
	if r.provided == nil {
		r.provided = make(map[string]Methods)
	}
	r.provided[capability] = methods
	r.capabilities = append(r.capabilities, capability)
}

type callerKey struct{}

// CallingModule returns the id of the module that called the running method; "" outside a method.
func CallingModule(ctx context.Context) string {
	id, _ := ctx.Value(callerKey{}).(string)
	return id
}

var (
	errNotProvided = errors.New("no such capability or method is provided")
	errTooLarge    = errors.New("the method's output is more than 256 KiB")
)

func (l *moduleServer) provide(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.ProvideRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	output, err := l.method(ctx, &request)
	if err != nil {
		if ctx.Err() == nil {
			reportError(fmt.Sprintf("Provide %.100s: method %.100q, called by %s", request.GetCapability(),
				request.GetMethod(), request.GetCaller()), err)
		}
		return nil, err
	}
	return &abi.ProvideResponse{Output: output}, nil
}

func (l *moduleServer) method(ctx context.Context, request *abi.ProvideRequest) ([]byte, error) {
	handler, found := l.registry.provided[request.GetCapability()][request.GetMethod()]
	if !found {
		return nil, errNotProvided
	}
	value, err := handler(context.WithValue(ctx, callerKey{}, request.GetCaller()), request.GetInput())
	if err != nil {
		return nil, err
	}
	output, err := encode(value)
	if err == nil && len(output) > abi.MaxCapabilityJSON {
		err = errTooLarge
	}
	return output, err
}

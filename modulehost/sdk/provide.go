package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

// Methods are what a capability can be asked for, by name.
type Methods map[string]Answer

// Answer answers one method, JSON for JSON. Func makes one of a function.
type Answer func(ctx context.Context, input []byte) (output any, err error)

// Func is a method that takes an In and answers an Out, both as encoding/json has them: keys that In does
// not know are ignored, so that a newer caller may say more. ctx ends when the caller gives up, after 10 s
// at the latest. An error, and an answer of more than 256 KiB, is CAPABILITY_FAILED to the caller, who
// learns nothing else: what it shall understand belongs into the answer.
func Func[In, Out any](f func(ctx context.Context, in In) (Out, error)) Answer {
	return func(ctx context.Context, input []byte) (any, error) {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, err
		}
		return f(ctx, in)
	}
}

// Provide declares that other modules may call a capability, which is one of the manifest's provides:
// CallingModule tells which of them does. Methods run at the same time as each other and as requests.
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

// CallingModule is the id of the module whose Call a method answers; "" elsewhere.
func CallingModule(ctx context.Context) string {
	id, _ := ctx.Value(callerKey{}).(string)
	return id
}

var (
	errNotProvided = errors.New("no such capability or method is provided")
	errTooLarge    = errors.New("the answer is more than 256 KiB")
)

func (l *life) provide(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.ProvideRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	answer, found := l.registry.provided[request.GetCapability()][request.GetMethod()]
	if !found {
		return nil, errNotProvided
	}
	value, err := answer(context.WithValue(ctx, callerKey{}, request.GetCaller()), request.GetInput())
	if err != nil {
		return nil, err
	}
	output, err := json.Marshal(value)
	if err == nil && len(output) > abi.MaxCapabilityJSON {
		err = errTooLarge
	}
	return &abi.ProvideResponse{Output: output}, err
}

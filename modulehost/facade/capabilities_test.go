package facade_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// capabilityFunc handles calls in place of other modules.
type capabilityFunc func(ctx context.Context, capability, method string, input []byte) ([]byte, error)

func (o capabilityFunc) Invoke(ctx context.Context, capability, method string, input []byte) ([]byte, error) {
	return o(ctx, capability, method, input)
}

func invoke(
	t *testing.T, ctx context.Context, capabilities facade.Capabilities, input []byte,
) ([]byte, error) {
	t.Helper()
	session := facade.New(facade.Config{ModuleID: "seats", Capabilities: capabilities, Log: zap.NewNop()}).Open()
	defer session.Close()
	payload, err := proto.Marshal(&abi.InvokeRequest{Capability: "stage.services", Method: "list", Input: input})
	if err != nil {
		t.Fatal(err)
	}
	response, err := session.Serve(ctx, link.Method(abi.Method_METHOD_INVOKE), payload)
	if err != nil {
		return nil, err
	}
	return response.(*abi.InvokeResponse).GetOutput(), nil
}

func TestInvoke(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, _, _ string, input []byte) ([]byte, error) { return input, nil }
	respond := func(output []byte, err error) capabilityFunc {
		return func(context.Context, string, string, []byte) ([]byte, error) { return output, err }
	}
	most := make([]byte, 256<<10)
	for _, c := range []struct {
		name  string
		reach facade.Capabilities
		input []byte
		want  error
	}{
		{"as much as may be", capabilityFunc(echo), most, nil},
		{"too much", respond(nil, nil), append(most, 0), facade.ErrCapabilityFailed},
		{"too much back", respond(append(most, 0), nil), nil, facade.ErrCapabilityFailed},
		{"absent", respond(nil, facade.ErrCapabilityAbsent), nil, facade.ErrCapabilityAbsent},
		{"a code of the provider's", respond(nil, &link.Failure{CodeText: abi.CodeCapabilityAbsent}), nil,
			facade.ErrCapabilityFailed},
		{"a failure", respond(nil, errors.New("hunter2")), nil, facade.ErrCapabilityFailed},
		{"nobody to reach", nil, nil, facade.ErrCapabilityFailed},
	} {
		if output, err := invoke(t, t.Context(), c.reach, c.input); err != c.want || err == nil &&
			len(output) != len(c.input) {
			t.Errorf("%s: %d bytes, want %d; error %v, want %v", c.name, len(output), len(c.input), err,
				c.want)
		}
	}
}

func TestInvokeEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	waits := func(ctx context.Context, capability, method string, _ []byte) ([]byte, error) {
		if end, bounded := ctx.Deadline(); !bounded || time.Until(end) > 10*time.Second ||
			capability != "stage.services" || method != "list" {
			t.Errorf("invoked %s.%s with the deadline %v, want stage.services.list within 10 s", capability,
				method, end)
		}
		cancel()
		<-ctx.Done()
		if ctx.Err() != context.Canceled {
			t.Error("it outlived its caller: ", ctx.Err())
		}
		return nil, ctx.Err()
	}
	if _, err := invoke(t, ctx, capabilityFunc(waits), nil); err != facade.ErrCapabilityFailed {
		t.Errorf("invoke: error %v, want %v", err, facade.ErrCapabilityFailed)
	}
}

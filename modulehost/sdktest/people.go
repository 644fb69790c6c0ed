package sdktest

import (
	"context"
	"encoding/json"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Erase tells the module that a person was erased (Registry.PersonErased). An error means that the platform
// would tell it again. It fails the test of a module that did not ask to be told.
func (m *Module) Erase(userID string) error {
	m.tb.Helper()
	if !m.registered.GetPersonErased() {
		m.tb.Fatal("sdktest: the module did not declare PersonErased")
	}
	ctx, cancel := context.WithTimeout(m.tb.Context(), abi.EraseWithin)
	defer cancel()
	m.callers.erase(userID)
	return m.callContext(ctx, abi.Method_METHOD_PERSON_ERASED, &abi.PersonErasedRequest{UserId: userID}, nil)
}

// Export decodes what the module keeps of a person into out (Registry.PersonExport), by the platform's rules:
// an error means that the person's data would not have this module's part. It fails the test of a module
// that exports nothing.
func (m *Module) Export(userID string, out any) error {
	m.tb.Helper()
	if !m.registered.GetPersonExport() {
		m.tb.Fatal("sdktest: the module did not declare PersonExport")
	}
	document, err := process.ReadExport(m.tb.Context(), m.callContext, userID)
	if err != nil {
		return err
	}
	return json.Unmarshal(document, out)
}

func (m *Module) callContext(ctx context.Context, method abi.Method, request, response proto.Message) error {
	return m.run().client.Call(ctx, link.Method(method), request, response)
}

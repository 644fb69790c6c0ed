package sdktest

import (
	"context"
	"encoding/json"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Erase notifies the module that a person was erased (Registry.PersonErased). After an error the platform
// would notify it again. Erase fails the test if the module has not declared PersonErased.
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

// Export decodes the module's data about a person (Registry.PersonExport) into out, by the platform's rules.
// After an error the person's export would lack this module's part. Export fails the test if the module has
// not declared PersonExport.
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

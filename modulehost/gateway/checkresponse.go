package gateway

import (
	"errors"
	"fmt"
	"net/textproto"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// CheckResponse returns the rule that a module's response breaks, in the host's own text, or nil. After the
// first three rules the client gets MODULE_HANDLER_FAILED, after the others the response without the header.
func CheckResponse(moduleID string, response *abi.HandleResponse) error {
	_, leaves := outside(response.GetHeaders(), Prefix+moduleID)
	switch status := response.GetStatus(); {
	case status < 200 || status > 599:
		return errors.New("its status is not from 200 to 599")
	case len(response.GetBody()) > abi.MaxInline:
		return fmt.Errorf("its message carries %d bytes of body, and the most is %d", len(response.GetBody()),
			abi.MaxInline)
	case leaves:
		return errors.New("its Location leads out of the module's own root")
	}
	size := 0
	for _, header := range response.GetHeaders() {
		name := textproto.CanonicalMIMEHeaderKey(string(header.GetName()))
		value := strings.Trim(string(header.GetValue()), " \t")
		if name == "" || !isToken(name) || !isFieldValue(value) {
			return errors.New("the name or value of a header is not valid (RFC 9110)")
		}
		if kind, _ := kindOf(name); kind != platform {
			size += len(name) + len(": ") + len(value) + len("\r\n")
		}
	}
	if size > maxResponseHeaders {
		return fmt.Errorf("its headers take %d bytes, and the most is %d", size, maxResponseHeaders)
	}
	return nil
}

package sdk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// missing returns the mistake of a name that module.json does not declare; nil if it is declared, or if the
// platform is older and did not say what is.
func missing(declared *abi.Declared, names []string, name string, code Error, what, remedy string) error {
	if declared == nil || slices.Contains(names, name) {
		return nil
	}
	return notAmong(names, name, code, what, remedy)
}

// notAmong returns the mistake of an unknown name.
func notAmong(names []string, name string, code Error, what, remedy string) error {
	text := fmt.Sprintf("%s %.100q; %s", what, name, remedy)
	if len(names) > 0 {
		const most = 8
		text += ", or use one of: " + strings.Join(names[:min(most, len(names))], ", ")
		if len(names) > most {
			text += ", ..."
		}
	}
	return &mistake{code, text}
}

// missingDependency returns the mistake of a capability on which the manifest declares no dependency.
func missingDependency(declared *abi.Declared, capability string) error {
	module, _, _ := strings.Cut(capability, ".")
	if slices.Contains(declared.GetDependencies(), module) {
		return nil
	}
	return missing(declared, declared.GetDependencies(), capability, ErrCapabilityFailed,
		"module.json declares no dependency on the capability", "add it to dependencies")
}

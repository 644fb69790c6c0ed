package environment_test

import (
	"bytes"
	"testing"

	"github.com/narthex-platform/narthex/services/environment"
)

const previousSecret = "3f9a1c5e7b2d4860f1e2d3c4b5a69788"

// A key depends only on the secret and the purpose, so that two processes have the same keys while the secret
// is replaced.
func TestKeys(t *testing.T) {
	t.Parallel()
	before := keysOf(t, map[string]string{"SERVICE_IDENTITY_SECRET": previousSecret}, "one purpose")
	after := keysOf(t, map[string]string{"SERVICE_IDENTITY_SECRET_PREVIOUS": previousSecret}, "one purpose")
	other := keysOf(t, nil, "another purpose")
	if before.Previous != nil || other.Previous != nil {
		t.Errorf("previous keys %x and %x without a previous secret, want none", before.Previous, other.Previous)
	}
	if !bytes.Equal(after.Previous, before.Current) || bytes.Equal(after.Current, before.Current) ||
		len(after.Current) != 32 {
		t.Errorf("before the rotation the key is %x, after it %x and %x; want the first again as the previous "+
			"one", before.Current, after.Current, after.Previous)
	}
	if bytes.Equal(after.Current, other.Current) {
		t.Errorf("two purposes share the key %x", other.Current)
	}
}

func keysOf(t *testing.T, changes map[string]string, purpose string) environment.Keys {
	t.Helper()
	variables := valid()
	for name, value := range changes {
		variables[name] = value
	}
	settings, err := load(variables, environment.IdentitySection)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := settings.Identity.Keys(purpose)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

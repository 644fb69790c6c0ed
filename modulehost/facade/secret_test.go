package facade_test

import (
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestSecret: a missing secret is an error, never an empty value that the module would use as the secret.
func TestSecret(t *testing.T) {
	t.Parallel()
	m := sessionOf(t, facade.New(facade.Config{
		ModuleID: "seats",
		Secrets:  map[string]string{"apiToken": "value", "latin1": "gr\xfc\xdfe"},
		Log:      zap.NewNop(),
	}))
	for key, want := range map[string]struct{ value, code string }{
		"apiToken": {value: "value"},
		"latin1":   {value: "gr\xfc\xdfe"},
		"apitoken": {code: "SECRET_ABSENT"},
		"other":    {code: "SECRET_ABSENT"},
		"":         {code: "SECRET_ABSENT"},
	} {
		response, err := ask[abi.SecretResponse](t, m, abi.Method_METHOD_SECRET, &abi.SecretRequest{Key: key})
		if code(err) != want.code || string(response.GetValue()) != want.value {
			t.Errorf("secret %q: value %q, code %q; want %q, %q", key, response.GetValue(), code(err), want.value,
				want.code)
		}
	}
}

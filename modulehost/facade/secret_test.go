package facade_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// TestSecretsAreMasked: a line of the log has no value of a secret, wherever the module has put it.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.DebugLevel)
	m := sessionOf(t, facade.New(facade.Config{ModuleID: "seats",
		Secrets: map[string]string{"apiToken": "kqz7-94x", "short": "it"}, Log: zap.New(core)}))
	_, err := ask[abi.LogResponse](t, m, abi.Method_METHOD_LOG, &abi.LogRequest{
		Message:    []byte("it failed with kqz7-94x"),
		Attributes: []*abi.Header{{Name: []byte("url"), Value: []byte("https://example.org/?t=kqz7-94x")}}})
	if err != nil {
		t.Fatal(err)
	}
	fields := logs.All()[0].ContextMap()
	if got := fmt.Sprint(fields["text"], fields["attributes"]); strings.Contains(got, "kqz7") ||
		!strings.Contains(got, "it failed with [secret]") {
		t.Errorf("the line is %s", got)
	}
}

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

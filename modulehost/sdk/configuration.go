package sdk

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Configuration holds the values that administrators have set and the defaults of the manifest, as they were
// when the platform started. A key has no value when nobody has set one and the manifest has no default; the
// methods then return the zero value. They panic when the manifest does not declare the key, or declares
// another type for it, because that is a mistake in the module. Safe for concurrent use.
type Configuration struct {
	values   map[string]any
	declared *abi.Declared // nil: the platform is older
}

func newConfiguration(settings []*abi.Setting, declared *abi.Declared) Configuration {
	values := make(map[string]any, len(settings))
	for _, s := range settings {
		switch v := s.GetValue().(type) {
		case *abi.Setting_Text:
			values[s.GetKey()] = v.Text
		case *abi.Setting_Integer:
			values[s.GetKey()] = v.Integer
		case *abi.Setting_Boolean:
			values[s.GetKey()] = v.Boolean
		}
	}
	return Configuration{values: values, declared: declared}
}

// Has reports whether a key has a value.
func (c Configuration) Has(key string) bool {
	c.check(key)
	return c.values[key] != nil
}

// String returns the value of a string, enum or url; "" without a value.
func (c Configuration) String(key string) string { return valueOf[string](c, key) }

// Integer returns the value of an integer; 0 without a value.
func (c Configuration) Integer(key string) int64 { return valueOf[int64](c, key) }

// Boolean returns the value of a boolean; false without a value.
func (c Configuration) Boolean(key string) bool { return valueOf[bool](c, key) }

// check panics when the manifest does not declare the key.
func (c Configuration) check(key string) {
	err := missing(c.declared, c.declared.GetConfiguration(), key, "CONFIGURATION_UNKNOWN",
		"module.json declares no key", "add it to configuration (a secret is read with Host.Secret)")
	if err != nil {
		panic("sdk: " + err.Error())
	}
}

func valueOf[T any](c Configuration, key string) T {
	var zero T
	c.check(key)
	value, found := c.values[key]
	if !found {
		return zero
	}
	typed, ok := value.(T)
	if !ok {
		panic("sdk: module.json declares another type for the configuration key " + key)
	}
	return typed
}

// ErrSecretAbsent: the deployment has no value for the key, or the manifest does not declare it as a secret.
const ErrSecretAbsent = Error(abi.CodeSecretAbsent)

// Secret returns the deployment's value for a key that the manifest declares as a secret, or ErrSecretAbsent.
// Call it whenever the value is needed instead of storing it, never log the value and never send it in a
// response. Further errors: ctx's own, and those of any call.
func (h *Host) Secret(ctx context.Context, key string) (string, error) {
	err := missing(h.declared, h.declared.GetSecrets(), key, ErrSecretAbsent, "module.json declares no secret",
		"add it to configuration, with the type secret")
	if err != nil {
		return "", err
	}
	var response abi.SecretResponse
	err = call(ctx, h.client, abi.Method_METHOD_SECRET, &abi.SecretRequest{Key: key},
		&response)
	return string(response.GetValue()), err
}

package sdk

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// Configuration is what administrators have set and the manifest's defaults, as it was when the platform
// started: it stays the same until the next start. A key that the manifest declares and nobody has set,
// without a default, has no value; the methods then answer the zero value. They panic for a value of
// another type than the manifest declares, which is the module's own mistake. Safe for concurrent use.
type Configuration struct{ values map[string]any }

func newConfiguration(settings []*abi.Setting) Configuration {
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
	return Configuration{values: values}
}

// Has tells whether a key has a value.
func (c Configuration) Has(key string) bool { return c.values[key] != nil }

// String answers a string, enum or url; "" without a value.
func (c Configuration) String(key string) string { return valueOf[string](c, key) }

// Integer answers an integer; 0 without a value.
func (c Configuration) Integer(key string) int64 { return valueOf[int64](c, key) }

// Boolean answers a boolean; false without a value.
func (c Configuration) Boolean(key string) bool { return valueOf[bool](c, key) }

func valueOf[T any](c Configuration, key string) T {
	var zero T
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

// ErrSecretAbsent: the deployment supplies no value for the key, or the manifest does not declare it as a
// secret.
var ErrSecretAbsent = errors.New("the deployment supplies no such secret")

// Secret answers the deployment's value for a key that the manifest declares as a secret; ErrSecretAbsent
// without one. Ask when it is needed rather than keeping it, never log it and never answer a request with
// it. Another error is that of a platform that does not answer within 30 s.
func (h *Host) Secret(key string) (string, error) {
	var response abi.SecretResponse
	err := call(context.Background(), h.client, abi.Method_METHOD_SECRET, &abi.SecretRequest{Key: key},
		&response)
	if failure := (*link.Failure)(nil); errors.As(err, &failure) && failure.Code() == abi.CodeSecretAbsent {
		return "", ErrSecretAbsent
	}
	return response.GetValue(), err
}

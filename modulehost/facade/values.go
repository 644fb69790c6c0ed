package facade

import (
	"slices"
	"time"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

func decodeArguments(values []*abi.Value) []any {
	args := make([]any, len(values))
	for i, value := range values {
		args[i] = decodeArgument(value)
	}
	return args
}

func decodeArgument(value *abi.Value) any {
	switch kind := value.GetKind().(type) {
	case *abi.Value_Boolean:
		return kind.Boolean
	case *abi.Value_Integer:
		return kind.Integer
	case *abi.Value_Number:
		return kind.Number
	case *abi.Value_Text:
		return kind.Text
	case *abi.Value_Bytes:
		return kind.Bytes
	case *abi.Value_TimeMicros:
		return time.UnixMicro(kind.TimeMicros).UTC()
	case *abi.Value_Texts:
		return append([]string{}, kind.Texts.GetValues()...) // an empty slice, not nil, which would be NULL
	case *abi.Value_Integers:
		return append([]int64{}, kind.Integers.GetValues()...)
	}
	return nil
}

// Declared returns the names in a manifest as they are sent with Start.
func Declared(m *manifest.Manifest) *abi.Declared {
	declared := &abi.Declared{Buckets: m.Buckets}
	for _, d := range m.Configuration {
		if d.Type == manifest.TypeSecret {
			declared.Secrets = append(declared.Secrets, d.Key)
		} else {
			declared.Configuration = append(declared.Configuration, d.Key)
		}
	}
	for _, permission := range m.Permissions {
		declared.Permissions = append(declared.Permissions, permission.ID)
	}
	for _, dependency := range slices.Concat(m.Dependencies.Required, m.Dependencies.Optional) {
		declared.Dependencies = append(declared.Dependencies, dependency.ID)
	}
	return declared
}

// Settings returns a module's configuration as it is sent with Start, in the manifest's order. Keys without a
// value and secrets are left out.
func Settings(declared []manifest.Declaration, snapshot map[string]any) []*abi.Setting {
	var settings []*abi.Setting
	for _, d := range declared {
		setting := &abi.Setting{Key: d.Key}
		switch value := snapshot[d.Key].(type) {
		case string:
			setting.Value = &abi.Setting_Text{Text: value}
		case int64:
			setting.Value = &abi.Setting_Integer{Integer: value}
		case bool:
			setting.Value = &abi.Setting_Boolean{Boolean: value}
		default:
			continue
		}
		settings = append(settings, setting)
	}
	return settings
}

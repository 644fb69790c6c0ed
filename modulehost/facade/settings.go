package facade

import (
	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Settings is a module's configuration snapshot as it travels with Start, in the manifest's order. Keys
// without a value, and secrets, do not.
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

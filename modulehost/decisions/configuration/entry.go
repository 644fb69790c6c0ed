package configuration

import (
	"slices"

	"github.com/narthex-platform/narthex/services/activity/chain"
)

// entriesOf returns the activity entries of a replacement. They contain the keys that it sets, changes and
// removes, but no values. There is no entry if the values stay the same.
func entriesOf(moduleID string, r Replacement, before map[string]string) []chain.Entry {
	set, changed, removed := []string{}, []string{}, []string{}
	for key, value := range r.Values {
		switch old, stored := before[key]; {
		case !stored:
			set = append(set, key)
		case old != value:
			changed = append(changed, key)
		}
	}
	for key := range before {
		if _, kept := r.Values[key]; !kept {
			removed = append(removed, key)
		}
	}
	if len(set)+len(changed)+len(removed) == 0 {
		return nil
	}
	slices.Sort(set)
	slices.Sort(changed)
	slices.Sort(removed)
	return []chain.Entry{{
		Actor:   r.By,
		Action:  chain.ConfigurationReplaced,
		Subject: chain.Subject{Kind: chain.ModuleSubject, ID: moduleID},
		Details: map[string]any{"set": set, "changed": changed, "removed": removed},
	}}
}

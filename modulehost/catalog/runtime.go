package catalog

import "github.com/narthex-platform/narthex/modulehost/manifest"

// Runtime is an Outcome in a response: whether a module runs, and if not, why. It contains no values of the
// configuration.
type Runtime struct {
	State            RuntimeState `json:"state"`
	Reason           Reason       `json:"reason,omitzero"`
	Dependency       *Unusable    `json:"dependency,omitzero"`
	ConfigurationKey string       `json:"configurationKey,omitzero"`
	StorageBucketID  string       `json:"storageBucketId,omitzero"`
}

// Unusable is the required dependency that blocks a module.
type Unusable struct {
	Kind       manifest.Kind `json:"kind"`
	ModuleID   string        `json:"moduleId"` // for a capability, its provider
	Capability string        `json:"capability,omitzero"`
}

// Runtime returns the outcome for a response.
func (o Outcome) Runtime() Runtime {
	r := Runtime{
		State:            o.State,
		Reason:           o.Reason,
		ConfigurationKey: o.ConfigurationKey,
		StorageBucketID:  o.StorageBucketID,
	}
	if edge := o.Dependency; edge != nil {
		r.Dependency = &Unusable{Kind: edge.Kind, ModuleID: edge.Provider}
		if edge.Kind == manifest.KindCapability {
			r.Dependency.Capability = edge.ID
		}
	}
	return r
}

package catalog

import (
	"maps"
	"slices"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// State is the input, besides the manifests, that determines which modules run. The functions are called with
// installed modules only. A nil function means that nothing is stored or supplied.
type State struct {
	Enabled func(moduleID string) bool              // nil: all modules are enabled
	Stored  func(moduleID string) map[string]string // the stored configuration; nil: none
	Secret  func(moduleID, key string) bool         // whether the deployment supplies the secret; nil: none
	Storage bool                                    // whether there is object storage
}

// RuntimeState is whether a module runs after a start.
type RuntimeState string

// The three runtime states.
const (
	Running  RuntimeState = "running"
	Disabled RuntimeState = "disabled"
	Blocked  RuntimeState = "blocked"
)

// Reason is why a module is blocked.
type Reason string

// The reasons. When several apply, the first in this order is reported.
const (
	ReasonDependencyDisabled   Reason = "required_dependency_disabled"
	ReasonDependencyBlocked    Reason = "required_dependency_blocked"
	ReasonConfigurationMissing Reason = "configuration_missing"
	ReasonConfigurationInvalid Reason = "configuration_invalid"
	ReasonSecretMissing        Reason = "secret_missing"
	ReasonStorageUnavailable   Reason = "storage_unavailable"
)

// Outcome is the resolver's decision about one module. Reason is set only for a blocked module, and then also
// the one detail that belongs to the reason.
type Outcome struct {
	State            RuntimeState
	Reason           Reason
	Dependency       *Edge  // the required edge to a module that does not run
	ConfigurationKey string // of a missing or invalid value, or of a missing secret
	StorageBucketID  string // as the manifest names it
	// a running module's configuration: stored values and defaults, without secrets; not nil if it runs
	Configuration map[string]any
}

// Resolution holds the Outcome of every installed module. It is read-only and safe to share.
type Resolution struct {
	catalog  *Catalog
	outcomes map[string]Outcome
}

// Resolve decides which modules run. Startup, restartRequired and the operator's commands all use it. The
// result depends on the catalog and on state alone. When several reasons apply to a module, the first in the
// order of the constants above is reported, and within one reason the first in the manifest's order.
func (c *Catalog) Resolve(state State) Resolution {
	r := Resolution{catalog: c, outcomes: make(map[string]Outcome, len(c.Modules))}
	for _, m := range c.Modules { // dependencies first
		r.outcomes[m.Manifest.ID] = r.resolve(m, state)
	}
	return r
}

func (r Resolution) resolve(m *Module, state State) Outcome {
	id := m.Manifest.ID
	if state.Enabled != nil && !state.Enabled(id) {
		return Outcome{State: Disabled}
	}
	if edge := r.edgeTo(m, Disabled); edge != nil {
		return Outcome{State: Blocked, Reason: ReasonDependencyDisabled, Dependency: edge}
	}
	if edge := r.edgeTo(m, Blocked); edge != nil {
		return Outcome{State: Blocked, Reason: ReasonDependencyBlocked, Dependency: edge}
	}
	var stored map[string]string
	if state.Stored != nil {
		stored = state.Stored(id)
	}
	configuration, missing, invalid := snapshot(m.Manifest.Configuration, stored)
	switch {
	case missing != "":
		return Outcome{State: Blocked, Reason: ReasonConfigurationMissing, ConfigurationKey: missing}
	case invalid != "":
		return Outcome{State: Blocked, Reason: ReasonConfigurationInvalid, ConfigurationKey: invalid}
	}
	for _, d := range m.Manifest.Configuration {
		if d.Type == manifest.TypeSecret && d.Required && (state.Secret == nil || !state.Secret(id, d.Key)) {
			return Outcome{State: Blocked, Reason: ReasonSecretMissing, ConfigurationKey: d.Key}
		}
	}
	if len(m.Manifest.Buckets) > 0 && !state.Storage {
		return Outcome{State: Blocked, Reason: ReasonStorageUnavailable, StorageBucketID: m.Manifest.Buckets[0]}
	}
	return Outcome{State: Running, Configuration: configuration}
}

// edgeTo returns the first required edge to a module with this state, or nil.
func (r Resolution) edgeTo(m *Module, state RuntimeState) *Edge {
	for i, edge := range m.Dependencies {
		if edge.Required && r.outcomes[edge.Provider].State == state {
			return &m.Dependencies[i]
		}
	}
	return nil
}

// snapshot returns the module's configuration values, the first required key without a value, and the first
// key with an invalid one. It ignores a value that is stored under a key that is now a secret, because
// secrets come only from the deployment.
func snapshot(declared []manifest.Declaration, stored map[string]string) (values map[string]any, missing,
	invalid string) {
	values = make(map[string]any)
	for _, d := range declared {
		text, found := stored[d.Key]
		switch {
		case d.Type == manifest.TypeSecret:
		case found:
			value, ok := d.ParseText(text)
			if !ok && invalid == "" {
				invalid = d.Key
			}
			values[d.Key] = value
		case d.Default != nil:
			values[d.Key] = d.Default
		case d.Required && missing == "":
			missing = d.Key
		}
	}
	return values, missing, invalid
}

// Outcome returns the decision about an installed module; the zero Outcome for an unknown id.
func (r Resolution) Outcome(moduleID string) Outcome { return r.outcomes[moduleID] }

// Running returns the modules that run, in the order of the catalog: dependencies first.
func (r Resolution) Running() []*Module {
	var running []*Module
	for _, m := range r.catalog.Modules {
		if r.outcomes[m.Manifest.ID].State == Running {
			running = append(running, m)
		}
	}
	return running
}

// RestartRequired reports whether a start with r would treat the module differently than started did: run it
// or not, or run it with another configuration. It does not compare why a module does not run.
func (r Resolution) RestartRequired(started Resolution, moduleID string) bool {
	now, then := r.outcomes[moduleID], started.outcomes[moduleID]
	if now.State != Running || then.State != Running {
		return (now.State == Running) != (then.State == Running)
	}
	return !maps.Equal(now.Configuration, then.Configuration)
}

// reasons are the reasons in the order in which they are reported.
var reasons = []Reason{
	ReasonDependencyDisabled, ReasonDependencyBlocked, ReasonConfigurationMissing, ReasonConfigurationInvalid,
	ReasonSecretMissing, ReasonStorageUnavailable,
}

// Solved reports whether the reason for which started blocked the module does not apply in r: the module
// runs, or what blocks it comes later in the order in which reasons are reported.
func (r Resolution) Solved(started Resolution, moduleID string) bool {
	before, after := started.outcomes[moduleID], r.outcomes[moduleID]
	if before.State != Blocked || after.State == Disabled {
		return false
	}
	if after.State == Running {
		return true
	}
	m, _ := r.catalog.Module(moduleID)
	return slices.Compare(after.place(m), before.place(m)) > 0
}

// place is where the reason comes in the order: the reason itself, then the manifest's order.
func (o Outcome) place(m *Module) []int {
	within := 0
	switch {
	case o.Dependency != nil:
		within = slices.IndexFunc(m.Dependencies, func(e Edge) bool { return e == *o.Dependency })
	case o.ConfigurationKey != "":
		within = slices.IndexFunc(m.Manifest.Configuration, func(d manifest.Declaration) bool {
			return d.Key == o.ConfigurationKey
		})
	}
	return []int{slices.Index(reasons, o.Reason), within}
}

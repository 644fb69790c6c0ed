package catalog

import (
	"maps"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// State is what decides, beside the manifests, which modules run. Each question is asked of installed
// modules only; a nil one is answered by what holds where nothing is stored or supplied.
type State struct {
	Enabled func(moduleID string) bool              // nil: all are
	Stored  func(moduleID string) map[string]string // configuration as it is stored; nil: none
	Secret  func(moduleID, key string) bool         // whether the deployment supplies it; nil: none
	Storage bool                                    // whether there is object storage
}

// RuntimeState is what becomes of a module at a start (spec.md § Module runtime state).
type RuntimeState string

// The three runtime states.
const (
	Running  RuntimeState = "running"
	Disabled RuntimeState = "disabled"
	Blocked  RuntimeState = "blocked"
)

// Reason says why a module is blocked.
type Reason string

// The reasons, the first that applies first.
const (
	ReasonDependencyDisabled   Reason = "required_dependency_disabled"
	ReasonDependencyBlocked    Reason = "required_dependency_blocked"
	ReasonConfigurationMissing Reason = "configuration_missing"
	ReasonConfigurationInvalid Reason = "configuration_invalid"
	ReasonSecretMissing        Reason = "secret_missing"
	ReasonStorageUnavailable   Reason = "storage_unavailable"
)

// Outcome is what the resolver says of one module. Reason is set when it is blocked, and of the details the
// one that the reason names.
type Outcome struct {
	State            RuntimeState
	Reason           Reason
	Dependency       *Edge  // the required edge that leads to a module that does not run
	ConfigurationKey string // also of a missing secret
	StorageBucketID  string // as the manifest names it
	// the snapshot that a running module gets: stored values and defaults, no secrets; never nil then
	Configuration map[string]any
}

// Resolution is the outcome for every installed module. It is read-only and safe to share.
type Resolution struct {
	catalog  *Catalog
	outcomes map[string]Outcome
}

// Resolve is the one resolver: startup, restartRequired and the operator's commands all ask it. It is a
// pure function of the catalog and of what state answers. Of several reasons the first of the table in
// spec.md § Module runtime state wins, within it the manifest's order.
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

// edgeTo answers the first required edge to a module in that state.
func (r Resolution) edgeTo(m *Module, state RuntimeState) *Edge {
	for i, edge := range m.Dependencies {
		if edge.Required && r.outcomes[edge.Provider].State == state {
			return &m.Dependencies[i]
		}
	}
	return nil
}

// snapshot answers what the module is configured with, and the first key without a value and with an
// invalid one. A value that is stored under what is now a secret is not looked at: secrets come from the
// deployment alone.
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

// Outcome answers what becomes of an installed module; the zero Outcome for another id.
func (r Resolution) Outcome(moduleID string) Outcome { return r.outcomes[moduleID] }

// Running answers the modules that run, in the order of the catalog: dependencies first.
func (r Resolution) Running() []*Module {
	var running []*Module
	for _, m := range r.catalog.Modules {
		if r.outcomes[m.Manifest.ID].State == Running {
			running = append(running, m)
		}
	}
	return running
}

// RestartRequired says whether a start by r would run the module otherwise than started did: at all, or
// with which configuration. A different reason for not running does not count (contract.md §4).
func (r Resolution) RestartRequired(started Resolution, moduleID string) bool {
	now, then := r.outcomes[moduleID], started.outcomes[moduleID]
	if now.State != Running || then.State != Running {
		return (now.State == Running) != (then.State == Running)
	}
	return !maps.Equal(now.Configuration, then.Configuration)
}

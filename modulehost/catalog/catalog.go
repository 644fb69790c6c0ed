// Package catalog owns what is installed. It reads every module of the modules directory once, composes the
// permission registry, orders the modules by their dependencies, and resolves which of them run.
//
// A Catalog is complete and consistent, or Discover returns none. It is read-only once discovered and safe
// to share.
package catalog

import (
	"sort"

	"github.com/Masterminds/semver/v3"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Catalog is every installed module and every permission.
type Catalog struct {
	Modules     []*Module    // by level, then id: dependencies first
	Permissions []Permission // Core's and all modules', by id

	byID map[string]*Module
}

// Module is one installed module with its files, each read once.
type Module struct {
	Manifest      *manifest.Manifest
	Folder        string               // absolute, without symbolic links; never shown to callers
	Executable    *manifest.Artifact   // without bytes; nil = no server, or a script
	ServerScript  *manifest.Artifact   // without bytes; nil = no server, or an executable
	UI            *manifest.Artifact   // nil = none
	Display       *manifest.Artifact   // nil = none
	Link          *manifest.Artifact   // nil = none
	Contributions []*manifest.Artifact // one for each of the manifest's, in its order
	Migrations    []SQLFile            // by version, from 1 without gaps
	// only those with a provider; required before optional, each in the manifest's order
	Dependencies []Edge
	Level        int // 0 without dependencies; modules of one level do not depend on each other
}

// Scripts returns everything of the module that browsers run.
func (m *Module) Scripts() (all []*manifest.Artifact) {
	for _, s := range append([]*manifest.Artifact{m.UI, m.Display, m.Link}, m.Contributions...) {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// Edge is a dependency that an installed module satisfies.
type Edge struct {
	Kind     manifest.Kind
	ID       string // as the manifest names it: a module or a capability
	Provider string // id of the module that provides it
	Required bool
}

// Declared returns every dependency of the manifest, required before optional, each in the manifest's order.
// An optional one without a provider in its range has an empty Provider.
func (m *Module) Declared() []Edge {
	edges := make([]Edge, 0, len(m.Manifest.Dependencies.Required)+len(m.Manifest.Dependencies.Optional))
	found := m.Dependencies
	add := func(d manifest.Dependency, required bool) {
		edge := Edge{Kind: d.Kind, ID: d.ID, Required: required}
		if len(found) > 0 && found[0].Kind == d.Kind && found[0].ID == d.ID {
			edge, found = found[0], found[1:]
		}
		edges = append(edges, edge)
	}
	for _, d := range m.Manifest.Dependencies.Required {
		add(d, true)
	}
	for _, d := range m.Manifest.Dependencies.Optional {
		add(d, false)
	}
	return edges
}

// Module returns an installed module by id.
func (c *Catalog) Module(id string) (*Module, bool) {
	m, ok := c.byID[id]
	return m, ok
}

// Provider returns the installed module that provides a capability, and the capability's version; nil, nil
// when none does. The caller checks whether the version is in its range.
func (c *Catalog) Provider(capability string) (*Module, *semver.Version) {
	return inventory(c.byID).provider(capability)
}

// inventory is the installed modules by id, among which dependencies are looked up.
type inventory map[string]*Module

// provider finds a capability's module directly, because a capability's id begins with its module's id.
func (i inventory) provider(capability string) (*Module, *semver.Version) {
	m, ok := i[owner(capability)]
	if !ok {
		return nil, nil
	}
	for _, p := range m.Manifest.Provides {
		if p.ID == capability {
			return m, p.Version
		}
	}
	return nil, nil
}

func compose(modules []*Module) *Catalog {
	c := &Catalog{Modules: modules, Permissions: corePermissions(), byID: make(map[string]*Module, len(modules))}
	sort.SliceStable(modules, func(a, b int) bool {
		if modules[a].Level != modules[b].Level {
			return modules[a].Level < modules[b].Level
		}
		return modules[a].Manifest.ID < modules[b].Manifest.ID
	})
	for _, m := range modules {
		c.byID[m.Manifest.ID] = m
		c.Permissions = append(c.Permissions, modulePermissions(m.Manifest)...)
	}
	sort.Slice(c.Permissions, func(a, b int) bool { return c.Permissions[a].ID < c.Permissions[b].ID })
	return c
}

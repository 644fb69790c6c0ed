package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// owner returns the module id in front of a namespaced id. A module id has no dot.
func owner(id string) string {
	module, _, _ := strings.Cut(id, ".")
	return module
}

// resolve connects every module with its providers, and reports required dependencies without one. It does
// not report a dependency on a module whose own manifest is broken, because that module has its own
// findings.
func resolve(modules []*Module, installed inventory, broken map[string]bool) Findings {
	var findings Findings
	for _, m := range modules {
		for i, d := range m.Manifest.Dependencies.Required {
			code, message := m.connect(d, true, installed)
			if code == "" || code == ErrDependencyMissing && broken[owner(d.ID)] {
				continue
			}
			pointer := "/dependencies/required/" + strconv.Itoa(i)
			findings = append(findings, manifest.Finding{Module: m.Manifest.ID, Pointer: pointer, Code: code,
				Message: message})
		}
		for _, d := range m.Manifest.Dependencies.Optional {
			m.connect(d, false, installed) // without a provider in range the edge is simply absent
		}
	}
	return findings
}

// connect adds the edge, or returns the code and sentence of why it cannot.
func (m *Module) connect(d manifest.Dependency, required bool, installed inventory) (code manifest.Error,
	message string) {
	provider, version := installed.target(d)
	if provider == nil {
		return ErrDependencyMissing, fmt.Sprintf("dependencies.required[] needs the %s %s, which is not installed.",
			d.Kind, d.ID)
	}
	if !d.Range.Check(version) {
		return ErrDependencyIncompatible, fmt.Sprintf(
			"dependencies.required[] needs the %s %s in another version than the installed %s.", d.Kind, d.ID, version)
	}
	m.Dependencies = append(m.Dependencies, Edge{Kind: d.Kind, ID: d.ID, Provider: provider.Manifest.ID,
		Required: required})
	return "", ""
}

func (i inventory) target(d manifest.Dependency) (*Module, *semver.Version) {
	if d.Kind == manifest.KindCapability {
		return i.provider(d.ID)
	}
	m, ok := i[d.ID]
	if !ok {
		return nil, nil
	}
	return m, m.Manifest.Version
}

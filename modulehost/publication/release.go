package publication

import (
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// release is one running module, in the one version that is published.
type release struct {
	manifest      *manifest.Manifest
	scripts       []*manifest.Artifact // of the contributions, in the manifest's order
	version       string
	ui            *artifact            // nil: none
	display       *artifact            // nil: none
	link          *artifact            // nil: none
	contributions map[string]*artifact // by contribution id: those for a capability of another running module
	received      []contribution       // contributions for a capability of this module
}

func newRelease(m *catalog.Module) *release {
	return &release{
		manifest:      m.Manifest,
		scripts:       m.Contributions,
		version:       m.Manifest.Version.String(),
		ui:            newArtifact(m.UI),
		display:       newArtifact(m.Display),
		link:          newArtifact(m.Link),
		contributions: make(map[string]*artifact),
	}
}

// contribute publishes the contributions of a module for capabilities that other running modules provide in
// range, and adds them to those modules' entries. A contribution without such a provider is not published;
// that is not an error.
func (s *Service) contribute(from *release, installed *catalog.Catalog) {
	for i, c := range from.manifest.Contributions {
		provider, version := installed.Provider(c.Capability)
		if provider == nil || !c.Range.Check(version) {
			continue
		}
		to, running := s.releases[provider.Manifest.ID]
		if !running {
			continue
		}
		from.contributions[c.ID] = newArtifact(from.scripts[i])
		to.received = append(to.received, contribution{from.manifest.ID, from.version, c.ID, c.Version.String(),
			c.Capability})
	}
}

// artifacts returns all published scripts of the release.
func (r *release) artifacts() (all []*artifact) {
	for _, a := range []*artifact{r.ui, r.display, r.link} {
		if a != nil {
			all = append(all, a)
		}
	}
	for _, a := range r.contributions {
		all = append(all, a)
	}
	return all
}

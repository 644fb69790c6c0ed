package platform

import (
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// Misspelt returns a sentence for each optional dependency and each contribution that finds nobody and
// whose name is almost one that an installed module has. Without the sentence nothing would tell the
// mistake, because a provider that is not installed is none. Only the module of that id is examined; "" is
// every module.
func Misspelt(installed *catalog.Catalog, only string) (sentences []string) {
	modules, capabilities := []string{}, []string{}
	for _, m := range installed.Modules {
		modules = append(modules, m.Manifest.ID)
		for _, p := range m.Manifest.Provides {
			capabilities = append(capabilities, p.ID)
		}
	}
	for _, m := range installed.Modules {
		if only != "" && m.Manifest.ID != only {
			continue
		}
		say := func(pointer string, kind manifest.Kind, written string, names []string) {
			if meant := manifest.Nearest(written, names); meant != "" && meant != written {
				sentences = append(sentences, fmt.Sprintf("%s at %s: no installed module has the %s %s; did you mean %s?",
					m.Manifest.ID, pointer, kind, written, meant))
			}
		}
		optional := m.Declared()[len(m.Manifest.Dependencies.Required):]
		for i, edge := range optional {
			names := modules
			if edge.Kind == manifest.KindCapability {
				names = capabilities
			}
			if edge.Provider == "" {
				say(fmt.Sprintf("/dependencies/optional/%d/id", i), edge.Kind, edge.ID, names)
			}
		}
		for i, c := range m.Manifest.Contributions {
			if provider, _ := installed.Provider(c.Capability); provider == nil {
				say(fmt.Sprintf("/contributions/%d/capability", i), manifest.KindCapability, c.Capability, capabilities)
			}
		}
	}
	return sentences
}

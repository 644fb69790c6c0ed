package doctor

import (
	"regexp"
	"strings"
	"sync"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/environment"
)

// printable matches names that can be printed unchanged.
var printable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Z0-9_]{1,128}$`)
})

// ineffectiveVariables warns of variables that are set but have no effect.
func (e *Examination) ineffectiveVariables() {
	var names []string
	for _, variable := range e.environ {
		if name, _, found := strings.Cut(variable, "="); found && printable().MatchString(name) {
			names = append(names, name)
		}
	}
	secrets := e.secrets()
	for _, setting := range environment.Unread(names, e.lookup) {
		switch {
		case setting.Needs != "":
			e.warn("SETTING_UNREAD", setting.Name+" is not read without "+setting.Needs+"; set both, or neither.")
		case !strings.HasPrefix(setting.Name, manifest.SecretPrefix):
			e.warn("SETTING_UNREAD", "Nothing reads "+setting.Name+"; see whether its name is right, or remove it.")
		case e.Installed != nil && !secrets[setting.Name]:
			e.warn("SETTING_UNREAD", "Nothing reads "+setting.Name+"; no installed module declares that secret.")
		}
	}
}

// secrets returns the variables of the secrets that installed modules declare.
func (e *Examination) secrets() map[string]bool {
	declared := make(map[string]bool)
	if e.Installed == nil {
		return declared
	}
	for _, m := range e.Installed.Modules {
		for _, d := range m.Manifest.Configuration {
			if d.Type == manifest.TypeSecret {
				declared[manifest.SecretVariable(m.Manifest.ID, d.Key)] = true
			}
		}
	}
	return declared
}

// Package environment owns what the process takes from its environment: every SERVICE_* variable, its default, its rule and the
// one stable code that says the rule is broken (spec.md § Required configuration, contract.md §8-9).
//
// Load is a pure function of a Lookup. It reports all findings of one start together, and no finding contains a value.
package environment

import "strings"

// Lookup finds a variable by name, as os.LookupEnv does.
type Lookup func(name string) (value string, found bool)

// Section is a part of the table that a command needs; a command never fails on a variable it does not read.
type Section uint8

// The sections, to be joined with |.
const (
	DatabaseSection Section = 1 << iota
	ModulesSection
	ServerSection
	IdentitySection
	HostSection // what modules are offered: object storage, mail; and how processes and operators see each other

	// Everything is what api:start reads.
	Everything = DatabaseSection | ModulesSection | ServerSection | IdentitySection | HostSection
)

// Settings is the validated outcome. Sections that were not asked for are zero.
type Settings struct {
	// Production is true unless NODE_ENV is exactly "development".
	Production    bool
	Database      Database
	Modules       Modules
	Server        Server
	ClientAddress ClientAddress
	Identity      Identity
	Storage       Storage
	Mail          Mail
	Realtime      Realtime
	Metrics       Metrics
}

// Modules tells where installed modules live.
type Modules struct {
	// Dir is absolute when Explicit, else "modules" of the working directory, where a missing directory means zero modules.
	Dir      string
	Explicit bool
}

// Server is where the listener binds.
type Server struct {
	Host string // an address or "localhost"
	Port uint16 // 0: chosen by the operating system
}

// Identity is what signing in and origin checks need.
type Identity struct {
	Secret         Secret // at least 32 characters
	PreviousSecret Secret // the one before, while the secret is being replaced; else the zero Secret
	BaseURL        Origin // where the API is reached
	TrustedOrigins []Origin
	Dashboard      Origin // equals BaseURL in the same-origin topology
	PublicSignUp   bool
}

// Topology tells how the Dashboard and the API stand to each other: "same-origin" or "split".
func (i Identity) Topology() string {
	if i.Dashboard == i.BaseURL {
		return "same-origin"
	}
	return "split"
}

// Load reads the rows of the wanted sections. Its error is Findings.
func Load(lookup Lookup, wanted Section) (Settings, error) {
	var settings Settings
	nodeEnv, _ := lookup("NODE_ENV")
	settings.Production = nodeEnv != "development"

	var findings Findings
	for _, row := range table {
		if row.section&wanted == 0 {
			continue
		}
		value, found := lookup(row.name)
		if strings.TrimSpace(value) == "" && !row.blankCounts {
			value, found = "", false
		}
		if code := row.read(input{value, found, settings.Production}, &settings); code != "" {
			findings = findings.add(code, row.name, found)
		}
	}
	if len(findings) > 0 {
		return Settings{}, findings
	}
	return settings, nil
}

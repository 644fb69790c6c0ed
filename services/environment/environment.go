// Package environment reads the process's environment variables. For each variable it defines the default,
// the rule, and the stable code for a broken rule (docs/reference/environment.md).
//
// Load is a pure function of a Lookup. It reports all findings of a start together. No finding contains a
// value.
package environment

import "strings"

// Lookup finds a variable by name, like os.LookupEnv.
type Lookup func(name string) (value string, found bool)

// Section is a part of the table. A command reads the sections that it needs, so it never fails because of a
// variable of another section.
type Section uint8

// The sections. Join them with |.
const (
	DatabaseSection Section = 1 << iota
	ModulesSection
	ServerSection
	IdentitySection
	HostSection // object storage and mail for modules; NATS between processes; metrics

	// Everything is all sections, which api:start reads.
	Everything = DatabaseSection | ModulesSection | ServerSection | IdentitySection | HostSection
)

// Settings holds the validated values. Sections that were not read are zero.
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

// Modules defines where the installed modules are.
type Modules struct {
	// Dir is absolute when Explicit. Otherwise it is "modules" in the working directory, and a missing
	// directory means no modules.
	Dir      string
	Explicit bool
	// Signers is the absolute path of an allowed_signers file; "": packages need no signature.
	Signers string
}

// Server is the address of the HTTP listener, and how long it serves without being used.
type Server struct {
	Host            string // an address or "localhost"
	Port            uint16 // 0: chosen by the operating system
	IdleExitMinutes int    // 0: the process never ends by itself
}

// Identity contains the settings for sign-in and origin checks.
type Identity struct {
	Secret         Secret // at least 32 characters
	PreviousSecret Secret // the previous secret, while it is being replaced; otherwise the zero Secret
	BaseURL        Origin // of the API
	TrustedOrigins []Origin
	Dashboard      Origin // equals BaseURL in the same-origin topology
	PublicSignUp   bool
}

// Topology returns whether Dashboard and API share one origin: "same-origin" or "split".
func (i Identity) Topology() string {
	if i.Dashboard == i.BaseURL {
		return "same-origin"
	}
	return "split"
}

// Load reads the rows of the wanted sections. Its error is of type Findings.
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

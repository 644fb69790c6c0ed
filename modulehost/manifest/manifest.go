// Package manifest reads what a module declares about itself (module.json, version 7) and the files that it
// names. It reads both strictly and reports every broken rule at once. docs/reference/manifest.md describes
// the fields.
//
// Nothing here starts, serves or stores anything: a Manifest is plain data, read-only once parsed and safe
// to share.
package manifest

import "github.com/Masterminds/semver/v3"

// Version is the only manifestVersion that this release reads. Older and newer ones are refused.
const Version = 7

// FileName is the manifest's name in a module's folder.
const FileName = "module.json"

// MaxBytes limits module.json: 256 KiB.
const MaxBytes = 256 << 10

// DatabaseABI is the only database.abi that this release accepts.
const DatabaseABI = 1

// ScriptABI is the only abi of a server's script that this release runs.
const ScriptABI = 1

// Manifest is a valid module.json.
type Manifest struct {
	ID            string
	Name          string
	Version       *semver.Version
	Icon          string // name of one of the Dashboard's icons; "" = none
	People        bool   // the module requests people's names
	Compatibility Compatibility
	Dependencies  Dependencies
	Provides      []Capability
	Permissions   []Permission
	Server        string    // executable for this system and processor, relative to the package; "" = none
	ServerScript  string    // script that the platform runs instead, relative to the package; "" = none
	UI            string    // script, relative to the package; "" = none
	Display       *Page     // nil = none; fills a screen
	Link          *Page     // nil = none; for people without an account
	Database      *Database // nil = none
	Buckets       []string
	Configuration []Declaration
	Contributions []Contribution
	Translations  map[string]Translation // by language
}

// Compatibility names the releases of the platform and of its module SDK that the module works with.
type Compatibility struct {
	Platform  *semver.Constraints
	ModuleSDK *semver.Constraints
}

// Kind is whether a dependency is on a module or on a capability.
type Kind string

// The two kinds of dependency.
const (
	KindModule     Kind = "module"
	KindCapability Kind = "capability"
)

// Dependencies are the required ones, without which the module does not run, and the optional ones, which it
// uses if they are present.
type Dependencies struct {
	Required []Dependency
	Optional []Dependency
}

// Dependency is one edge to another module or to a capability of one.
type Dependency struct {
	Kind  Kind
	ID    string
	Range *semver.Constraints
}

// Capability is a named interface that the module provides to other modules, with a version of its own.
type Capability struct {
	ID      string
	Version *semver.Version
}

// Baseline determines who holds a permission without a grant.
type Baseline string

// The two baselines.
const (
	BaselineAuthenticated Baseline = "authenticated" // any signed-in person, but no device
	BaselineRestricted    Baseline = "restricted"    // needs a grant, or the platform's owner
)

// Permission is one permission that the module declares.
type Permission struct {
	ID          string
	Baseline    Baseline
	Description string // "" = none
}

// Page is a page of the module outside the Dashboard, and the permission that opens it.
type Page struct {
	Artifact   string
	Permission string
}

// Database declares that the module owns a schema.
type Database struct {
	ABI        int
	Migrations string // folder, relative to the package; "" = none
}

// Contribution is a browser script that the module offers to another module's capability.
type Contribution struct {
	ID         string
	Version    *semver.Version
	Capability string
	Range      *semver.Constraints
	Artifact   string
}

// Package manifest owns what a module says about itself (module.json, version 7) and the files that it
// names: it reads both strictly and reports every broken rule at once. contract.md §7 has the rules,
// spec.md § Module manifest the meaning.
//
// Nothing here starts, serves or stores anything: a Manifest is plain data, read-only once parsed and safe
// to share.
package manifest

import "github.com/Masterminds/semver/v3"

// Version is the only manifestVersion that is understood; a change of it is a hard cutover (spec.md).
const Version = 7

// FileName is the manifest's name in a module's folder.
const FileName = "module.json"

// MaxBytes limits module.json: 256 KiB.
const MaxBytes = 256 << 10

// DatabaseABI is the only database.abi that is understood.
const DatabaseABI = 1

// Manifest is a valid module.json.
type Manifest struct {
	ID            string
	Name          string
	Version       *semver.Version
	Icon          string // one of the kit's; "" = none
	People        bool   // asks for people's names
	Compatibility Compatibility
	Dependencies  Dependencies
	Provides      []Capability
	Permissions   []Permission
	Server        string    // executable, relative to the package, for this system and processor; "" = none
	UI            string    // script, relative to the package; "" = none
	Display       *Display  // nil = none
	Database      *Database // nil = none
	Buckets       []string
	Configuration []Declaration
	Contributions []Contribution
}

// Compatibility names the releases of the platform and of its module SDK that the module works with.
type Compatibility struct {
	Platform  *semver.Constraints
	ModuleSDK *semver.Constraints
}

// Kind says what a dependency is on.
type Kind string

// The two kinds of dependency.
const (
	KindModule     Kind = "module"
	KindCapability Kind = "capability"
)

// Dependencies are what the module cannot run without, and what it merely uses when it is there.
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

// Capability is something that the module offers to others, under a version of its own.
type Capability struct {
	ID      string
	Version *semver.Version
}

// Baseline says who holds a permission without a grant (spec.md § Permission).
type Baseline string

// The two baselines.
const (
	BaselineAuthenticated Baseline = "authenticated" // any signed-in person, never a device
	BaselineRestricted    Baseline = "restricted"    // needs a grant, or the platform's owner
)

// Permission is one that the module declares.
type Permission struct {
	ID          string
	Baseline    Baseline
	Description string // "" = none
}

// Display is the full-screen page that the module offers, and the permission that opens it.
type Display struct {
	Artifact   string
	Permission string
}

// Database says that the module owns a schema.
type Database struct {
	ABI        int
	Migrations string // folder, relative to the package; "" = none
}

// Contribution is a script that the module offers to another module's capability.
type Contribution struct {
	ID         string
	Version    *semver.Version
	Capability string
	Range      *semver.Constraints
	Artifact   string
}

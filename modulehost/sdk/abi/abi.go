// Package abi defines the messages that the platform and a module exchange, and their version. Package link
// sends them.
package abi

import "time"

// Version is the ABI of this release. A process that responds to Register with another version is not
// started.
const Version = 1

// PlatformVersion is the release of the platform and of its module SDK. A manifest's compatibility.platform
// and compatibility.moduleSdk must include it.
const PlatformVersion = "0.1.2"

// CodeDatabaseFailed is the code of a link failure whose detail is a DatabaseError.
const CodeDatabaseFailed = "DATABASE_FAILED"

// CodeSecretAbsent is the code for a secret for which the deployment has no value or which the manifest does
// not declare.
const CodeSecretAbsent = "SECRET_ABSENT"

// The codes of a failed call between modules.
const (
	// CodeCapabilityAbsent: the dependency is optional in the calling module's manifest, and the provider does
	// not run.
	CodeCapabilityAbsent = "CAPABILITY_ABSENT"
	// CodeCapabilityFailed: the call was not made, or got no result, for any other reason.
	CodeCapabilityFailed = "CAPABILITY_FAILED"
)

// The limits of a module's calls about a person.
const (
	EraseWithin    = 30 * time.Second
	ExportWithin   = 10 * time.Second // for all pieces together
	MaxExport      = 8 << 20          // bytes of JSON
	MaxExportPiece = 1 << 20
)

// RunWithin is how long a run of a schedule may take.
const RunWithin = 30 * time.Second

// MaxInline is the longest body, in bytes, that is sent in the same frame as its head (docs/link.md).
const MaxInline = 8 << 10

// MaxNames is how many names a module may request in one call.
const MaxNames = 200

// The limits of a call between modules.
const (
	MaxCapabilityJSON = 256 << 10 // bytes, in each direction
	CapabilityWithin  = 10 * time.Second
)

// Package abi owns the messages that the platform and a module exchange, and their version. Package link
// carries them.
package abi

import "time"

// Version is the ABI of this release. A process that responses Register with another one is not started.
const Version = 1

// PlatformVersion is the release of the platform and of its module SDK. A manifest's compatibility.platform
// and compatibility.moduleSdk must include it.
const PlatformVersion = "0.1.2"

// CodeDatabaseFailed is the link failure whose detail is a DatabaseError.
const CodeDatabaseFailed = "DATABASE_FAILED"

// CodeSecretAbsent is the link failure for a secret that the deployment does not supply or the manifest does
// not declare.
const CodeSecretAbsent = "SECRET_ABSENT"

// The link failures of a call between modules.
const (
	// CodeCapabilityAbsent: the providing module does not run, and the calling module declares it as optional.
	CodeCapabilityAbsent = "CAPABILITY_ABSENT"
	// CodeCapabilityFailed: the call was not made, or got no result, for any other reason.
	CodeCapabilityFailed = "CAPABILITY_FAILED"
)

// The limits of what a module is asked about a person.
const (
	EraseWithin    = 30 * time.Second
	ExportWithin   = 10 * time.Second // all pieces
	MaxExport      = 8 << 20          // bytes of JSON
	MaxExportPiece = 1 << 20
)

// RunWithin is how long a run of a schedule may take.
const RunWithin = 30 * time.Second

// MaxNames is how many names a module asks for at once.
const MaxNames = 200

// The limits of a call between modules.
const (
	MaxCapabilityJSON = 256 << 10 // bytes, each way
	CapabilityWithin  = 10 * time.Second
)

// Package abi owns the messages that host and module exchange, and their version. How they travel is
// modulehost/link's.
package abi

import "time"

//go:generate go run ./generate

// Version is the ABI that this host speaks. A process that answers Register with another one is not started.
const Version = 1

// PlatformVersion is the release of the platform and of its module SDK (contract.md, introduction): what
// compatibility.platform and compatibility.moduleSdk of a manifest are compared with.
const PlatformVersion = "0.1.2"

// CodeDatabaseFailed is the link failure whose detail is a DatabaseError.
const CodeDatabaseFailed = "DATABASE_FAILED"

// CodeSecretAbsent is the link failure of a secret that the deployment does not supply or the manifest does
// not declare.
const CodeSecretAbsent = "SECRET_ABSENT"

// The link failures of a call between modules.
const (
	// CodeCapabilityAbsent: who would provide it does not run, and the caller said that it can do without.
	CodeCapabilityAbsent = "CAPABILITY_ABSENT"
	// CodeCapabilityFailed: the call was not made, or not answered, for any other reason.
	CodeCapabilityFailed = "CAPABILITY_FAILED"
)

// What a call between modules may take (contract.md §7).
const (
	MaxCapabilityJSON = 256 << 10 // bytes, each way
	CapabilityWithin  = 10 * time.Second
)

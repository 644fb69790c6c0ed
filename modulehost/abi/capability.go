package abi

import "time"

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

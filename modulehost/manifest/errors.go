package manifest

// Error is a stable code that callers may see.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrInvalid: module.json breaks a rule of manifest version 7.
	ErrInvalid = Error("MANIFEST_INVALID")
	// ErrVersionUnsupported: module.json has another manifest version, so no other rule was applied to it.
	ErrVersionUnsupported = Error("MANIFEST_VERSION_UNSUPPORTED")
	// ErrPermissionDuplicate: one permission is declared twice.
	ErrPermissionDuplicate = Error("PERMISSION_DUPLICATE")
	// ErrPermissionReserved: a permission is in the platform's own namespace, core.
	ErrPermissionReserved = Error("PERMISSION_NAMESPACE_RESERVED")
	// ErrCapabilityDuplicate: one capability is provided twice.
	ErrCapabilityDuplicate = Error("CAPABILITY_DUPLICATE")
	// ErrArtifactInvalid: a file that the manifest names cannot be used.
	ErrArtifactInvalid = Error("ARTIFACT_INVALID")
)

// Refusal is the rule that a file of a package breaks, written as the rest of a sentence whose subject is
// the manifest's field: "must be a regular file." It never holds a path.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Code returns ARTIFACT_INVALID.
func (r Refusal) Code() string { return string(ErrArtifactInvalid) }

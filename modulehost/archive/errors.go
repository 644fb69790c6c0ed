package archive

// Error is a stable code that people and callers may see.
type Error string

// Error returns a line for people: the code, then what to do. It never contains a value or a path.
func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes of this package. MODULES_DIRECTORY_INVALID and MODULES_DIRECTORY_UNREADABLE are catalog's, and
// catalog.Findings reports faults of a module itself. An error means that nothing was changed, with one
// exception: when a disk fails, MODULES_DIRECTORY_UNWRITABLE may come after the change.
const (
	// ErrInvalid: the package breaks a rule of the format or one of the limits.
	ErrInvalid = Error("PACKAGE_INVALID")
	// ErrChecksum: the package is not the file that its checksum file describes, or that file is missing or
	// malformed.
	ErrChecksum = Error("PACKAGE_CHECKSUM_MISMATCH")
	// ErrUnsigned: the installation accepts only signed packages, and this one has no signature.
	ErrUnsigned = Error("PACKAGE_SIGNATURE_MISSING")
	// ErrSignature: the signature was not made for this package by an allowed signer, or the file of allowed
	// signers cannot be read.
	ErrSignature = Error("PACKAGE_SIGNATURE_INVALID")
	// ErrDowngrade: a newer version is installed.
	ErrDowngrade = Error("PACKAGE_DOWNGRADE")
	// ErrVersionTaken: this version is or was installed from other bytes.
	ErrVersionTaken = Error("PACKAGE_VERSION_TAKEN")
	// ErrUnreadable: the package does not exist, cannot be read, or is no regular file.
	ErrUnreadable = Error("PACKAGE_UNREADABLE")
	// ErrUnwritable: the modules directory cannot be changed, because of missing permission or space.
	ErrUnwritable = Error("MODULES_DIRECTORY_UNWRITABLE")
	// ErrUnderWay: another Install or Remove did not end within LockWait.
	ErrUnderWay = Error("INSTALL_UNDER_WAY")
	// ErrNotInstalled: the modules directory has no such module.
	ErrNotInstalled = Error("MODULE_NOT_INSTALLED")
)

func (e Error) sentence() string {
	switch e {
	case ErrInvalid:
		return "The package must be one complete gzip-compressed tar archive with nothing after it; get it " +
			"again from its author."
	case ErrChecksum:
		return "The package is not the file that its checksum file describes; get both again."
	case ErrUnsigned:
		return "This installation takes signed packages alone; get the signature, named like the package with " +
			".sig behind, from where the package comes from."
	case ErrSignature:
		return "The signature beside the package is not one of this package; get both again."
	case ErrDowngrade:
		return "A newer version of this module is installed; there is no way back to an older one."
	case ErrVersionTaken:
		return "This version of the module was installed from another package, and one version has one content; " +
			"ask its author for a package with a higher version."
	case ErrUnreadable:
		return "The package does not exist or cannot be read; check its name and its permissions."
	case ErrUnwritable:
		return "The modules directory could not be changed; check its permissions and the room on its disk, " +
			"then run the command again."
	case ErrUnderWay:
		return "Another command is installing or removing a module; run this one again when that has ended."
	case ErrNotInstalled:
		return "This module is not installed; modules:list names those that are."
	}
	return "The command stopped; docs/reference/error-codes.md says what this code means."
}

// refusal is a code with its own sentence. Only errors.Is uses the cause, because its text may contain a
// path.
type refusal struct {
	code   Error
	reason string // "" = the code's own sentence
	cause  error  // nil = none
}

func (r refusal) Error() string {
	if r.reason == "" {
		return r.code.Error()
	}
	return string(r.code) + ": " + r.reason
}

// Code returns the stable code.
func (r refusal) Code() string { return r.code.Code() }

func (r refusal) Unwrap() []error { return []error{r.code, r.cause} }

func invalid(reason string) error { return refusal{code: ErrInvalid, reason: reason} }

// The reasons why Pack and Install refuse a package that is an archive.
var (
	errName = invalid("The package holds a name that is not a plain relative path; " +
		"ask its author for one made by the pack command.")
	errLongName = invalid(
		"The package holds a name longer than 255 bytes or of more than 16 parts; ask its author for shorter ones.")
	errReserved = invalid("The package holds a file named .package.sha256, which the platform writes itself; " +
		"ask its author for one made by the pack command.")
	errTwice = invalid("The package holds one name twice; ask its author for one made by the pack command.")
	errKind  = invalid("The package holds something else than plain files and folders; " +
		"ask its author for one made by the pack command.")
	errTooMany = invalid(
		"The package holds more than 12,000 files and folders; ask its author for a smaller one.")
	errTooLarge  = invalid("The package holds more than 512 MiB; ask its author for a smaller one.")
	errLargeFile = invalid("The package is larger than 320 MiB; ask its author for a smaller one.")
)

func unwritable(cause error) error { return refusal{code: ErrUnwritable, cause: cause} }

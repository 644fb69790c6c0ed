package archive

// Unpack is how Install unpacks a package, before it looks at the module.
var Unpack = unpack

// The reasons behind PACKAGE_INVALID.
var (
	ErrName      = errName
	ErrLongName  = errLongName
	ErrTwice     = errTwice
	ErrKind      = errKind
	ErrTooMany   = errTooMany
	ErrTooLarge  = errTooLarge
	ErrLargeFile = errLargeFile
)

// Contents are the names that Unpack has seen.
type Contents = contents

// Add adds a name to them.
func (c Contents) Add(name string, folder bool) ([]string, error) { return c.add(name, folder) }

package archive

// Unpack is what Install does to a package's bytes before it looks at the module.
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

// Contents are the names that Unpack keeps count of.
type Contents = contents

// Add is how it does.
func (c Contents) Add(name string, folder bool) ([]string, error) { return c.add(name, folder) }

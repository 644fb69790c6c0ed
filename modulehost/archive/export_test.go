package archive

// Unpack unpacks a package as Install does before it checks the module.
var Unpack = unpack

// The causes of PACKAGE_INVALID.
var (
	ErrName      = errName
	ErrLongName  = errLongName
	ErrTwice     = errTwice
	ErrKind      = errKind
	ErrTooMany   = errTooMany
	ErrTooLarge  = errTooLarge
	ErrLargeFile = errLargeFile
)

// Contents are the names that Unpack has found.
type Contents = contents

// Add adds a name to them.
func (c Contents) Add(name string, folder bool) ([]string, error) { return c.add(name, folder) }

package sdk

import (
	"embed"
	"io/fs"
)

//go:embed go.mod go.sum *.go abi files link sqldb
var sources embed.FS

// Sources returns the files of this Go module, tests included, for narthex-dev sdk:export. A module does not
// call it, so the linker leaves the files out of the module's program.
func Sources() fs.FS { return sources }

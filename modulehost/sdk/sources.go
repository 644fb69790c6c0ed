package sdk

import (
	"embed"
	"io/fs"
)

//go:embed go.mod go.sum *.go abi link programpages sqldb
var sources embed.FS

// Sources are the files of this Go module, tests included: narthex-dev sdk:export writes them. The linker
// leaves them out of a module, which does not call this.
func Sources() fs.FS { return sources }

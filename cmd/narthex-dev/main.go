// Command narthex-dev is narthex with the commands of people who develop: an installation on this machine,
// and what takes a module from an empty folder to a package.
package main

import (
	"github.com/narthex-platform/narthex/cmd/narthex/conform"
	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/cmd/narthex/program"
)

func main() {
	program.Main("narthex-dev", dev.Dev, dev.ModulesNew, dev.ModulesBuild, conform.ModulesConform, dev.SDKExport)
}

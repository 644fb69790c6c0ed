// Command narthex-dev is narthex with the commands for developers: they run a whole installation on this
// machine, and create, build, check and package modules.
package main

import (
	"github.com/narthex-platform/narthex/cmd/narthex/conform"
	"github.com/narthex-platform/narthex/cmd/narthex/dev"
	"github.com/narthex-platform/narthex/cmd/narthex/program"
)

func main() {
	program.Main("narthex-dev", dev.Dev, dev.ModulesNew, dev.ModulesBuild, dev.ModulesTest,
		conform.ModulesConform, dev.SDKExport)
}

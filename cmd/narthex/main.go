// Command narthex is the whole platform in one program: api:start runs it, the other commands are for its
// operator. What only development needs is in narthex-dev.
package main

import "github.com/narthex-platform/narthex/cmd/narthex/program"

func main() { program.Main("narthex") }

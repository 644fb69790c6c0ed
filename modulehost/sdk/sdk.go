// Package sdk is what a module author imports: it owns the module's side of its life with the platform.
//
// A module is a program whose main calls Serve with a value of its own. The platform starts it as a child process, without a
// network, without files to write and with an empty environment, and speaks with it over two inherited sockets:
//
//  1. Register: the module declares its routes, each with a permission of its manifest and a body limit.
//  2. Start: the module gets its Host and does what it needs before the first request.
//  3. Requests arrive, concurrently; every gate (origin, body limit, permission) has been passed.
//  4. Stop: the module has ten seconds to finish. It may come after a Start that failed, and must then do no harm.
//
// A process may also end without Stop: what matters belongs into the database. A crash is answered by a new process, which registers
// exactly the same again.
package sdk

import (
	"context"
	"fmt"
	"os"
)

// Version is the release of this SDK: what compatibility.moduleSdk in module.json is compared with.
const Version = "0.1.2"

// Module is what an author writes.
type Module interface {
	// Register declares everything the module brings. It does no work and asks nothing of the host. At most 10 s.
	Register(r *Registry) error
	// Start is called once, before the first request. At most 30 s; an error ends the start of the whole platform.
	Start(ctx context.Context, h *Host) error
	// Stop is called once, after the last request, or after a Start that failed. At most 10 s.
	Stop(ctx context.Context) error
}

// Serve speaks with the platform until it stops the module; it never returns.
func Serve(m Module) {
	if err := serve(m); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

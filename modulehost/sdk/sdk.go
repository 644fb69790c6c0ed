// Package sdk is what a module author imports: it owns the module's side of its life with the platform.
//
// A module is a program whose main calls Serve with a value of its own. The platform starts it as a child
// process, without a network, without files to write and with an empty environment, and speaks with it over
// two inherited sockets:
//
//  1. Register: the module declares its routes, each with a permission of its manifest and a body limit,
//     and what it provides.
//  2. Start: the module gets its Host and does what it needs before the first request.
//  3. Requests arrive, concurrently; every gate (origin, body limit, permission) has been passed.
//  4. Stop: the module has ten seconds to finish. The platform also calls it after a Start that failed.
//
// A process may also end without Stop: what matters belongs into the database. A crash is answered by a new
// process, which registers exactly the same again. Several platforms may share one database, and each runs
// every module: work that must happen once claims a row (FOR UPDATE SKIP LOCKED).
//
// What a module works with:
//
//	Registry.Handle      its routes, as net/http handlers; Principal(ctx) and Host.Can tell of the caller
//	Registry.Provide     what other modules may call of it; CallingModule(ctx) tells which of them does
//	Registry.Channel     what browsers and screens may listen to; Host.Realtime publishes on it
//	Host.DB              its own schema of PostgreSQL, as its own role; package sqldb is for database/sql
//	Host.Storage         files, in the buckets that its manifest declares
//	Host.Mail            mails, by the installation's mail server
//	Host.Config          what administrators have set; Host.Secret what the deployment supplies
//	Host.Capability      what other modules provide, along the dependencies that its manifest declares
//	Host.Log             lines in the platform's log
//
// A call to the platform ends with its context, a request's when the client goes away; without a deadline
// it has 30 s where nothing else is said. A handler's context ends 2 s before the platform gives the answer
// up (30 s; a capability's method and a snapshot: 10 s), and calls with it 1 s before that: so the handler
// can still say what went wrong. All of Host is safe for concurrent use. A panic in a handler is a failed
// request: the process goes on. Nothing that a module returns as an error reaches a browser or a log by
// itself.
//
// The executable is static (CGO_ENABLED=0). It can open no file but those in its own folder, no network and
// no further process; it has 256 MiB. narthex modules:new writes a module to begin with and docs/modules.md
// goes on from there, package sdktest runs one within its own tests, docs/link.md says what travels.
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
	// Register declares everything the module brings. It does no work and asks nothing of the host. At most 10
	// s from the start of the process; an error, also of what was declared, ends the start of the whole
	// platform.
	Register(r *Registry) error
	// Start is called once, before the first request. At most 30 s; an error ends the start of the whole
	// platform, and of a process that takes a dead one's place it is one more crash. ctx ends with the call,
	// and when the platform stops meanwhile: what shall go on needs a context of its own.
	Start(ctx context.Context, h *Host) error
	// Stop is called once, after the last request, or after a Start that failed or was cancelled. At most 10
	// s, in which the host still answers; the wait for a cancelled Start to return counts too, and Stop is not
	// called before.
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

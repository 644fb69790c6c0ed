// Package sdk is the package that a module author imports. It implements the module's side of the link to the
// platform.
//
// A module is a program whose main calls Serve with an implementation of Module. The platform starts it as a
// child process, without a network, without writable files and with an empty environment, and communicates
// with it over two inherited sockets:
//
//  1. Register: the module declares its routes, each with a permission of its manifest and a body limit,
//     and its capabilities and channels.
//  2. Start: the module gets its Host and prepares for the first request.
//  3. Requests arrive, concurrently. Each has passed every gate (origin, body limit, permission).
//  4. Stop: the module has ten seconds to finish. The platform also calls it after a Start that failed.
//
// A process may also end without Stop, so store everything that matters in the database. After a crash the
// platform starts a new process, which must register exactly the same. Several platforms may share one
// database, and each runs every module. Work that must happen only once therefore claims a row (FOR UPDATE
// SKIP LOCKED).
//
// The interface of the platform:
//
//	Registry.HandleFunc  routes; Principal(ctx) and Host.Can identify the caller, Decode reads the body
//	Registry.Handle      routes as net/http handlers
//	Registry.Every       work that is done regularly, by one of all processes
//	Registry.Provide     methods for other modules; CallingModule(ctx) returns which module calls
//	Registry.Channel     updates for browsers and screens; Host.Realtime publishes them
//	Registry.PersonErased, PersonExport   for a module that stores something about people
//	Host.DB              its own schema in PostgreSQL, with its own role; package sqldb is for database/sql
//	Host.Storage         files, in the buckets that its manifest declares
//	Host.People          names of people, if its manifest asks for them
//	Host.Mail            e-mails, sent by the installation's mail server
//	Host.Config          values that administrators have set; Host.Secret returns those of the deployment
//	Host.Capability      methods of other modules that its manifest declares as dependencies
//	Host.Log             lines in the platform's log
//
// A call to the platform ends with its context; a request's context ends when the client disconnects. A call
// whose context has no deadline gets 30 s, unless its own comment gives another limit. The platform waits 30
// s for a handler, and 10 s for a capability's method or a snapshot. The handler's context ends 2 s before
// that, and calls made with it end 1 s earlier, so that the handler can still respond with the error. All of
// Host is safe for concurrent use. A panic in a handler fails its request, and the process continues. The
// platform never shows or logs the text of an error that a module returns.
//
// The executable is static (CGO_ENABLED=0). It can open files of its own folder only; it can use no network
// and start no process; it has 256 MiB of memory. "narthex-dev modules:new" writes a first module,
// docs/modules.md explains how to continue, package sdktest runs a module in its own tests, and docs/link.md
// describes the link.
package sdk

import (
	"context"
	"fmt"
	"os"
)

// Version is the release of this SDK: what compatibility.moduleSdk in module.json is compared with.
const Version = "0.1.2"

// Module is implemented by the author.
type Module interface {
	// Register declares everything the module offers. It does no work and calls nothing of the host. It must end
	// within 10 s of the start of the process. An error, also in a declaration, fails the start of the whole
	// platform.
	Register(r *Registry) error
	// Start is called once, before the first request. It must end within 30 s. An error fails the start of the
	// whole platform; in a process that replaces a crashed one it counts as another crash. ctx ends with the
	// call, and when the platform stops meanwhile: background work needs a context of its own.
	Start(ctx context.Context, h *Host) error
	// Stop is called once, after the last request, or after a Start that failed or was cancelled. It must end
	// within 10 s, in which the host can still be called. It is not called before a cancelled Start has
	// returned; that wait counts too.
	Stop(ctx context.Context) error
}

// Serve runs the module until the platform stops it. It never returns.
func Serve(m Module) {
	if err := serve(m); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

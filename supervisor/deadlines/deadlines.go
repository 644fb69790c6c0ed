// Package deadlines is the table of the daemon's deadlines: how long it waits for a client, a module,
// PostgreSQL, another server or itself before it gives up.
//
// A test of the whole program that waits for one starts a program that was built with the tag
// shortdeadlines, in which those that such a test waits for are a tenth or less. The others are whole there,
// too, because a busy machine would miss them. Only a build can shorten them, no variable: an operator's
// daemon always has those of docs/reference. That a deadline is kept is tested beside its user, in virtual
// time.
package deadlines

import "time"

// Of clients (services/httpserver).
const (
	Header     = 20 * time.Second // for the head of a request
	Request    = 30 * time.Second // for a whole request
	Idle       = 5 * time.Second  // keep-alive: between a response and the next request
	Stall      = 20 * time.Second // for a client that takes no bytes of its response
	Drain      = 30 * time.Second // at a stop, for requests in progress
	StopHeader = 5 * time.Second  // at a stop, for a complete head
)

// Of a module's process (modulehost/process).
const (
	Register  = 10 * time.Second           // from the start of the process
	Start     = 30 * time.Second           // for its start hook
	Stop      = 10 * time.Second / divisor // for its stop hook
	Terminate = time.Second / divisor      // from SIGTERM to SIGKILL
	PingEvery = 10 * time.Second
	Ping      = 10 * time.Second           // for the response to a ping
	Stuck     = 30 * time.Second / divisor // from abandoning a call to the end of the process
)

// Of a module's calls (modulehost/gateway, modulehost/process, modulehost/facade, modulehost/schedule). Those
// that the SDK knows, too, are also in modulehost/sdk/abi.
const (
	Response   = 30 * time.Second / divisor // from the end of the request's body to the response's head
	Upload     = 30 * time.Second           // from the call to the end of a streamed body
	Piece      = 30 * time.Second           // between two pieces of a longer response
	Queue      = 5 * time.Second            // for a place among the calls that a module handles
	BodySocket = 5 * time.Second            // for a free socket, which a long body needs
	Capability = 10 * time.Second           // of a call between modules
	Erase      = 30 * time.Second           // of a call to erase a person
	Export     = 10 * time.Second           // of all calls for a person's export
	Run        = 30 * time.Second           // of a run of a schedule
	Mail       = 30 * time.Second           // of a call to send an email, with its wait
)

// Of a module's database work (modulehost/facade, services/database).
const (
	Acquire           = 5 * time.Second  // for a connection
	Lease             = 30 * time.Second // of a statement with its rows, and of a transaction
	IdleHandle        = 30 * time.Second // of a transaction or cursor that its module does not use
	ModuleStatement   = 30 * time.Second
	ModuleIdleSession = 60 * time.Second // of a transaction, by PostgreSQL
)

// Of the platform's own work (services/store, services/database, services/identity, services/health).
const (
	Store = 5 * time.Second // for a request's database work
	// Statement ends a statement on the server shortly before its caller gives up. A statement that ends keeps
	// its connection; a caller that gives up loses it.
	Statement = 29 * time.Second
	Close     = 5 * time.Second  // at a stop, for the users of the pool's connections
	Hash      = 5 * time.Second  // for a turn to check a password
	Probe     = 2 * time.Second  // of a health check, for the ping of the database
	Settle    = 30 * time.Second // for a ping itself
)

// Of streams (realtime).
const (
	Snapshot  = 10 * time.Second // how long a snapshot may take, and how long a reader waits for one
	Heartbeat = 15 * time.Second // between two heartbeats
	Reader    = 20 * time.Second // for a reader that takes no bytes
	Hubs      = 5 * time.Second  // at a stop, for the streams
)

// Of a process that nobody uses (services/idle).
const (
	IdleMinute = time.Minute / idleDivisor // each of SERVICE_IDLE_EXIT_MINUTES, and between two looks
	RunSoon    = 15 * time.Minute          // a scheduled run that is due within it keeps the process
)

// Of other servers (storage, mail).
const (
	Object = 15 * time.Second // of a call to the object storage
	Email  = 30 * time.Second // of an attempt to send an email
)

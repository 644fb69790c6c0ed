// Package hub implements the event streams of modules: one hub for each (module, channel). It is the top
// package of realtime; stream writes to the readers, backplane connects processes, and update is what all
// three share.
//
// It owns the order of a channel's updates (order.go), the current values of a LatestChannel (latest.go),
// the requests for snapshots (snapshot.go), the readers that wait for one (stream.go), and the numbers to
// and from the hubs of other processes (peers.go). Hubs (hubs.go) finds a hub by name and supervises all
// (serve.go).
//
// A hub is an actor. A reader is registered before its snapshot is requested, waits in the hub for the
// snapshot, and is live from the snapshot's position on:
//
//	Stream → waiting ── snapshot came → live ─┬─ cut: mailbox full, socket blocked, client left
//	             └── refused: a code,         └─ reconnect: after 4 to 5 min, at a stop, when the
//	                 no headers                  process ends, after a lost update
//
// Invariants:
//   - No update is lost or sent twice. A hub orders its module's publishes by their numbers. From the
//     moment it requests a snapshot, it keeps a log of the updates that it has released. The module reads
//     the number n before it makes the snapshot, so an update with a number above n reaches the hub after
//     the request: it is in the log or still to come. When the snapshot arrives, every reader that waits,
//     even one that registered after the request, gets the snapshot, the log above n, and all later
//     updates above n. The same holds for a reader that comes within 2 s of the request, if the log still
//     contains everything that was released since: see snapshots.
//   - Updates of another process have numbers of another module process, which are unrelated to n. A
//     reader gets those that were released here since its snapshot was requested: earlier ones were
//     committed before the snapshot began. So it may get an update that the snapshot already contains, but
//     never miss one.
//   - A reader that may have missed an update is made to reconnect, which fetches a new snapshot.
//   - On a LatestChannel neither a slow reader nor a burst ends a stream: for each key only the newest
//     value waits anywhere. Waiting values are sent in the order of their publishes.
//   - A stream's ids count on from its snapshot's. That is the number of updates that the hub has released
//     in the run of the module's process; without other processes, it is the publish number.
//   - A publisher never waits, neither for a reader nor for the backplane.
//
// Lock order: the state of a run belongs to the goroutine of Serve and has no lock. The lock of Hubs is
// taken before the backplane's, and that of latest before the inbox's. A hub holds none of its own while
// it calls stream.
package hub

// Package stream writes the events of one hub to its live readers.
//
// It owns the log of a hub (log.go), the frames of its events (frames.go), and every live stream: its
// beginning (prelude.go), its socket, its heartbeats and its end. It is the only package that uses
// r3labs/sse.
//
// The hub frames an event once and appends it to its Log. A reader's mailbox is the part of the log that
// the reader has not taken. A stream takes its connection from net/http and is from then on a place in the
// log and a socket, without a goroutine: shards write new entries to the sockets (shard.go), a watch
// reports which sockets have room again and whose client has disconnected (watch_linux.go), and a sweep
// checks heartbeats and deadlines (sweep.go).
//
// Invariants:
//   - The hub never waits for a socket. A log that is full waits for its shards, which never block in a
//     write.
//   - A reader gets the entries in their order. One that has not taken an entry before it was dropped gets
//     nothing after the gap: its stream ends.
//   - On a LatestChannel only a newer entry of the same key removes an entry.
//   - Each event is in memory once, and its charge is dropped after the last reader has taken it.
//   - EndStream is called once for each connection that was taken; after it nothing uses the descriptor.
//
// Lock order: the lock of Sockets or that of a shard, then the log's. The locks of frames and
// of the watch are leaves, taken alone or under a shard's. EndStream is called under a shard's
// lock.
package stream

// Package backplane carries updates between the processes of one installation, over NATS.
//
// It owns the connection to the server (link.go), the form of a message (message.go), its signature
// (signing.go), the numbers that show a hub what it has missed (peers.go), and why a server cannot be used
// (probe.go). It is the only package that uses a NATS client. A hub is a Channel to it.
//
// Invariants:
//   - No hub waits for the server. What does not fit into the outbox is dropped, and the gap in the
//     numbers tells the other processes.
//   - A Channel gets only messages that were signed with the installation's key for its subject, that are
//     not older than 30 s, and each once.
//   - NATS delivers at most once and in order, so a gap in a peer's numbers is a lost update.
//   - Neither a log line nor an error contains a server's address.
//
// Lock order: the link's lock is taken after that of the hubs and before the client's. No callback of the
// client holds it while it calls a Channel. The signer's and the outbox's locks are leaves.
package backplane

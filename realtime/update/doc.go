// Package update is what the packages of realtime share about one update or snapshot: its limits and the
// one line of JSON that it is sent as (update.go), the memory for which its module is charged (charge.go),
// and the bounded queue in which updates wait for an actor (queue.go).
//
// It owns no goroutine and no channel's state.
//
// Invariants:
//   - What Compact returns contains no line break and is never empty.
//   - A Charge is released once, when the last of its holders has dropped it.
//   - A Queue never blocks a publisher of this process. What does not fit is dropped, and Take reports
//     that.
//
// Lock order: a Queue's lock is a leaf; nothing else is locked under it.
package update

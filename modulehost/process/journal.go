package process

import "sync"

// keptEnds is how many ends of runs a Journal remembers.
const keptEnds = 16

// Journal keeps the last 64 KiB that the runs of a process wrote to standard output and error, and the last
// ends of runs among them. It may hold anything the module knows: it is for the operator's eyes, never for a
// log. Safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	ring    []byte
	written int64 // bytes so far, the overwritten ones included
	ends    []pastEnd
	ended   int64         // ends so far, the forgotten ones included
	changed chan struct{} // closed at the next change; nil: nobody waits
}

// pastEnd is an end, and how many bytes were written before it.
type pastEnd struct {
	End
	after int64
}

// JournalEntry is a piece of output, or the end of a run.
type JournalEntry struct {
	Text []byte // nil: an end
	End  End
}

// JournalCursor is how far a reader has read. The zero value begins with the oldest that is kept.
type JournalCursor struct{ written, ended int64 }

// Read returns what is kept after a cursor, in order, and a channel that is closed when there is more.
func (j *Journal) Read(from JournalCursor) (
	entries []JournalEntry, next JournalCursor, more <-chan struct{},
) {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := max(from.written, j.written-int64(len(j.ring)))
	first := max(int(from.ended-(j.ended-int64(len(j.ends)))), 0)
	for _, end := range j.ends[first:] {
		if end.after > at {
			entries = append(entries, JournalEntry{Text: j.between(at, end.after)})
			at = end.after
		}
		entries = append(entries, JournalEntry{End: end.End})
	}
	if j.written > at {
		entries = append(entries, JournalEntry{Text: j.between(at, j.written)})
	}
	if j.changed == nil {
		j.changed = make(chan struct{})
	}
	return entries, JournalCursor{j.written, j.ended}, j.changed
}

// write adds output.
func (j *Journal) write(b []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range b {
		if len(j.ring) < keptOutput {
			j.ring = append(j.ring, c)
		} else {
			j.ring[j.written%keptOutput] = c
		}
		j.written++
	}
	j.tell()
}

// end adds the end of a run.
func (j *Journal) end(end End) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.ends) == keptEnds {
		j.ends = append(j.ends[:0], j.ends[1:]...)
	}
	j.ends = append(j.ends, pastEnd{end, j.written})
	j.ended++
	j.tell()
}

// since is a copy of what is kept of the output after a position.
func (j *Journal) since(position int64) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.between(max(position, j.written-int64(len(j.ring))), j.written)
}

// position is how much was written so far.
func (j *Journal) position() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.written
}

// between is a copy of what is in the ring; the lock is held.
func (j *Journal) between(from, to int64) []byte {
	if from >= to {
		return nil
	}
	if len(j.ring) < keptOutput {
		return append([]byte(nil), j.ring[from:to]...)
	}
	first, end := from%keptOutput, to%keptOutput
	if first < end {
		return append([]byte(nil), j.ring[first:end]...)
	}
	return append(append([]byte(nil), j.ring[first:]...), j.ring[:end]...)
}

// tell wakes the readers that wait; the lock is held.
func (j *Journal) tell() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

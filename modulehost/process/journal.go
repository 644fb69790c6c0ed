package process

import "sync"

// keptEnds is how many ends of runs a Journal keeps.
const keptEnds = 16

// Journal keeps the last 64 KiB that the runs of a process wrote to standard output and error, and the last
// ends of runs with their places in it. It may contain anything that the module has access to, so only the
// operator may read it and it must not be logged. Safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	ring    []byte
	written int64 // bytes so far, including overwritten ones
	ends    []pastEnd
	ended   int64         // ends so far, including dropped ones
	changed chan struct{} // closed at the next change; nil: nobody waits for it
}

// pastEnd is an end of a run, and how many bytes were written before it.
type pastEnd struct {
	End
	after int64
}

// JournalEntry is a piece of output, or the end of a run.
type JournalEntry struct {
	Text []byte // nil: an end
	End  End
}

// JournalCursor is a reader's position. The zero value is the oldest entry that is kept.
type JournalCursor struct{ written, ended int64 }

// Read returns the kept entries after a cursor, in order, and a channel that is closed when there are more.
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

// write appends output.
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

// end appends the end of a run.
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

// since returns a copy of the kept output after a position.
func (j *Journal) since(position int64) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.between(max(position, j.written-int64(len(j.ring))), j.written)
}

// position returns how many bytes were written so far.
func (j *Journal) position() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.written
}

// between returns a copy of a part of the ring. The caller holds the lock.
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

// tell notifies the waiting readers. The caller holds the lock.
func (j *Journal) tell() {
	if j.changed != nil {
		close(j.changed)
		j.changed = nil
	}
}

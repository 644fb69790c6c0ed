package stream

// readerSet is a set of readers. A reader is in at most one set, and stores its index.
type readerSet struct{ readers []*Reader }

func (s *readerSet) add(r *Reader) {
	r.set, r.place = s, len(s.readers)
	s.readers = append(s.readers, r)
}

// remove moves the last reader to the index of r.
func (s *readerSet) remove(r *Reader) {
	if r.set != s {
		return
	}
	last := len(s.readers) - 1
	s.readers[r.place] = s.readers[last]
	s.readers[r.place].place = r.place
	s.readers[last] = nil
	s.readers = s.readers[:last]
	r.set = nil
}

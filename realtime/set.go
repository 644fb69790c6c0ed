package realtime

// set holds readers. A reader is in at most one set, and knows its place.
type set struct{ readers []*reader }

func (s *set) add(r *reader) {
	r.set, r.place = s, len(s.readers)
	s.readers = append(s.readers, r)
}

// remove puts the last one in the place of r.
func (s *set) remove(r *reader) {
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

// take empties the set.
func (s *set) take() []*reader {
	taken := s.readers
	for _, r := range taken {
		r.set = nil
	}
	s.readers = nil
	return taken
}

package house

import "time"

// Statements are prepared by a test against the migrated schema.
func Statements() []string { return []string{selectHouse, lockHouse, updateHouse, selectLastBackup} }

// Accents are all accent colours.
var Accents = accents

// SetEvery sets the pause between two reads.
func (s *Service) SetEvery(every time.Duration) { s.every = every }

// Keep stores a house in the service as if it had been read.
func (s *Service) Keep(h House, rev int64) { s.keep(state{h, rev}) }

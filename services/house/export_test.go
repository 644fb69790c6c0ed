package house

import "time"

// Statements are prepared by a test against the migrated schema.
func Statements() []string { return []string{selectHouse, lockHouse, updateHouse, selectLastBackup} }

// Accents are all that there are.
var Accents = accents

// SetEvery sets the pause between two reads.
func (s *Service) SetEvery(every time.Duration) { s.every = every }

// Keep gives the service a house that was read.
func (s *Service) Keep(h House, rev int64) { s.keep(state{h, rev}) }

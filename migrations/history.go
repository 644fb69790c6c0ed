package migrations

import "time"

// entry is one row of the ledger.
type entry struct {
	version  int
	name     string
	checksum string
	applied  bool // false: the migrator wrote "applying" and has not yet come back
	at       time.Time
}

// verify compares a line's files with its history and returns how many are applied. The rest is to be applied, in order.
func (l Line) verify(history []entry) (applied int, err error) {
	for i, row := range history {
		if row.version != i+1 || row.applied && applied != i {
			return 0, at(ErrHistoryChanged, l.ID) // a row was lost: what is in the database is anybody's guess
		}
		if i >= len(l.Files) {
			return 0, at(ErrDowngrade, l.ID)
		}
		if !row.applied {
			continue // whether it came into being is for the marker to say, and an author may mend a file that never did
		}
		if file := l.Files[i]; row.name != file.Name || row.checksum != file.checksum() {
			return 0, atFile(ErrHistoryChanged, l.ID, file, nil)
		}
		applied = i + 1
	}
	return applied, nil
}

// valid refuses files out of order, as a caller may have built them by hand.
func (l Line) valid() error {
	for i, file := range l.Files {
		if file.Version != i+1 || file.Name == "" {
			return at(ErrFiles, l.ID)
		}
	}
	return nil
}

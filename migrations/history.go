package migrations

import "time"

// entry is one row of the ledger.
type entry struct {
	version  int
	name     string
	checksum string
	applied  bool // false: the row's state is "applying"
	at       time.Time
}

// verify compares a line's files with its history and returns how many are applied. The others are to be
// applied, in order.
func (l Line) verify(history []entry) (applied int, err error) {
	newer := len(history) > 0 && history[len(history)-1].version > len(l.Files)
	for i, row := range history {
		if newer && row.version != i+1 {
			return 0, at(ErrDowngrade, l.ID) // only the newer installation can say whether a row is missing
		}
		if row.version != i+1 || row.applied && applied != i {
			return 0, at(ErrHistoryChanged, l.ID) // a row is missing, so the state of the database is unknown
		}
		if i >= len(l.Files) {
			return 0, at(ErrDowngrade, l.ID)
		}
		if !row.applied {
			continue // the marker shows whether it was applied; if not, its author may change it
		}
		if file := l.Files[i]; row.name != file.Name || row.checksum != file.checksum() {
			return 0, atFile(ErrHistoryChanged, l.ID, file, nil)
		}
		applied = i + 1
	}
	return applied, nil
}

// valid refuses files that are not numbered 1, 2, 3, because a caller may have built the line without Read.
func (l Line) valid() error {
	for i, file := range l.Files {
		if file.Version != i+1 || file.Name == "" {
			return at(ErrFiles, l.ID)
		}
	}
	return nil
}

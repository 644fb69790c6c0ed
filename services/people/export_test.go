package people

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{selectPeople, searchPeople, selectByID, selectAccount, renamePerson}
}

// The statements whose plans a test reads.
const (
	SelectPeople = selectPeople
	SearchPeople = searchPeople
)

// ParsePosition reads a cursor.
var ParsePosition = parsePosition

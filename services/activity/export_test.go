package activity

// Statement returns the SQL of a page and its arguments.
func Statement(rawQuery string) (sql string, args []any, err error) {
	q, err := parseQuery(rawQuery)
	if err != nil {
		return "", nil, err
	}
	sql, args = q.statement()
	return sql, args, nil
}

// Formatting and parsing of cursors.
var (
	Cursor      = cursor
	ParseCursor = parseCursor
)

// Statements are prepared by a test against the migrated schema.
func Statements() []string { return []string{selectHead, selectChain, selectJoined} }

package authorization

// Statements are prepared by a test against the migrated schema.
func Statements() []string { return []string{selectHoldings} }

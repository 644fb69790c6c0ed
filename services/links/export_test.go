package links

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return append(KeyedStatements(), insertLink, insertUnopened, countLive, deleteEnded)
}

// KeyedStatements are those that read by an index. The others count the links of a whole module, or delete
// many rows.
func KeyedStatements() []string {
	return []string{revokeLinks, assignLinks, openLink, selectHolder, selectPermission, revokeLink}
}

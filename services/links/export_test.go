package links

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{insertLink, revokeLinks, openLink, selectHolder, selectPermission, deleteEnded,
		insertUnopened, revokeLink, countLive}
}

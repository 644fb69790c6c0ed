package feeds

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return append(KeyedStatements(), countWorking)
}

// KeyedStatements are those that read by an index. countWorking counts all feeds.
func KeyedStatements() []string {
	return []string{selectFeeds, lockPerson, lockHouse, countLive, deleteRevoked, insertFeed, lockFeed,
		revokeFeed, renewFeed, selectTarget, updateUsed}
}

// MaxFeed is the length of the longest feed.
const MaxFeed = maxFeed

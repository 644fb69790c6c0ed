package feeds

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{selectFeeds, lockPerson, lockHouse, countLive, deleteRevoked, insertFeed, lockFeed,
		revokeFeed, renewFeed, selectTarget, updateUsed, countWorking}
}

// MaxFeed is the length of the longest feed.
const MaxFeed = maxFeed

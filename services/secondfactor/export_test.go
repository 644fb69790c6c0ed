package secondfactor

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{selectPasskeys, countCodes, selectPerson, offerPasskey, lockPerson, selectRecent,
		dropChallenge, insertPasskey, deletePasskey, updateHasPasskey, deleteCodes, insertCodes, selectWaiting,
		updateChallenge, lockWaiting, selectPending, countTry, insertFailure, updateUsed, useCode, deletePending,
		lockForOperator, deletePasskeys, deletePendingOf, deleteFailures, selectOwnerLacks}
}

// ParseCode reads a recovery code as people type it.
var ParseCode = parseCode

// NewCodes makes recovery codes.
var NewCodes = newCodes

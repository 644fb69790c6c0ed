package people

import "slices"

// Statements are prepared by a test against the migrated schema.
func Statements() []string {
	return []string{
		selectPeople, searchPeople, selectMissingWords, selectByID,
		selectAccount, renamePerson, selectNames, selectMember,
		upsertInvitation, shareInviter, selectAddressTaken, renewInvitation, selectInvitation, lockInvitation,
		withdrawInvitation, updateDelivery, selectLive, lockLive, acceptInvitation,
		selectInvitations, selectInvitationsOfState, selectInvitationsOpen, selectInvitationsExpired,
		expireInvitations, forgetAddresses,
		lockReminded, selectRemindAgain,
		lockOpenInvitations, lockMember, selectIsOwner, deactivatePerson, reactivatePerson, withdrawAllOf,
		selectIDByAddress,
		lockConcerned, lockForErasure, withdrawAllTo, forgetInvitations, erasePerson, insertErasures,
		selectExport, selectErasuresDue, claimErasure, completeErasure, giveErasureBack,
	}
}

// KeyedStatements are those that read by an index. The export of a person's data searches the invitations
// that they sent, which have none for that: people ask for it once in years.
func KeyedStatements() []string {
	return slices.DeleteFunc(Statements(), func(sql string) bool { return sql == selectExport })
}

// The statements whose plans a test reads.
const (
	SelectPeople = selectPeople
	SearchPeople = searchPeople
	ClaimErasure = claimErasure
)

// ParsePosition parses a cursor.
var ParsePosition = parsePosition

// SelectLive looks up invitations by their links.
const SelectLive = selectLive

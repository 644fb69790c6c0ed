// Package chain writes the activity: for each change, who made it, what it was, and what it concerned. Stores
// record an entry in the transaction of the change, so that neither exists without the other.
//
// An entry contains ids and keys, never an address, a name, a token or a value. docs/reference/activity.md
// lists the actions.
package chain

// Action is what was done.
type Action string

// All actions. Each is recorded by the store that makes the change.
const (
	GrantIssued           = Action("grant.issued")
	GrantRevoked          = Action("grant.revoked")
	OwnerGranted          = Action("owner.granted")
	OwnerTransferred      = Action("owner.transferred")
	ResetLinkIssued       = Action("person.reset_link_issued")
	PersonExported        = Action("person.exported")
	PersonInvited         = Action("person.invited")
	PersonJoined          = Action("person.joined")
	PersonDeactivated     = Action("person.deactivated")
	PersonReactivated     = Action("person.reactivated")
	PersonErased          = Action("person.erased")
	PersonReminded        = Action("person.reminded")
	InvitationSent        = Action("invitation.sent")
	InvitationWithdrawn   = Action("invitation.withdrawn")
	HouseChanged          = Action("house.changed")
	ModuleEnabled         = Action("module.enabled")
	ModuleDisabled        = Action("module.disabled")
	ConfigurationReplaced = Action("configuration.replaced")
	ScreenPaired          = Action("screen.paired")
	ScreenRenamed         = Action("screen.renamed")
	ScreenRevoked         = Action("screen.revoked")
	NavigationChanged     = Action("navigation.changed")
	FeedMade              = Action("feed.made")
	FeedRenewed           = Action("feed.renewed")
	FeedRevoked           = Action("feed.revoked")
	SessionEnded          = Action("session.ended")
	PasskeyAdded          = Action("passkey.added")
	PasskeyRemoved        = Action("passkey.removed")
	RecoveryCodesReplaced = Action("passkey.codes_replaced")
	RecoveryCodeUsed      = Action("passkey.code_used")
	LinkMade              = Action("link.made")
	LinkRenewed           = Action("link.renewed")
	LinkRevoked           = Action("link.revoked")
)

// Actor is who made a change.
type Actor struct {
	Kind   string `json:"kind"`
	UserID string `json:"userId,omitzero"`
}

// Person returns the actor for a signed-in person, or Platform for an empty id.
func Person(userID string) Actor {
	if userID == "" {
		return Platform()
	}
	return Actor{Kind: "person", UserID: userID}
}

// Operator returns the actor for changes by a command on the host.
func Operator() Actor { return Actor{Kind: "operator"} }

// Platform returns the actor for changes that the platform makes by itself.
func Platform() Actor { return Actor{Kind: "platform"} }

// Subject is what a change concerned.
type Subject struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// The kinds of subjects.
const (
	PersonSubject          = "person"
	InvitationSubject      = "invitation"
	ModuleSubject          = "module"
	ScreenSubject          = "screen"
	NavigationGroupSubject = "navigationGroup"
	HouseSubject           = "house"
	FeedSubject            = "feed"
	LinkSubject            = "link"
	PasskeySubject         = "passkey"
)

// Entry is one change. Details may be nil; its values are strings or lists of strings.
type Entry struct {
	Actor   Actor          `json:"actor"`
	Action  Action         `json:"action"`
	Subject Subject        `json:"subject"`
	Details map[string]any `json:"details"`
}

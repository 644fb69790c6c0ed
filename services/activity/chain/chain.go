// Package chain owns what is recorded of a change: who made it, what it was, and what it concerned. Stores
// record it in the transaction of the change itself, so that there is never one without the other.
//
// An entry holds ids and keys, never an address, a name, a token or a value. docs/reference/activity.md
// lists the actions.
package chain

// Action is what was done.
type Action string

// All actions. Each belongs to the store that makes the change.
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
)

// Actor is who made a change.
type Actor struct {
	Kind   string `json:"kind"`
	UserID string `json:"userId,omitzero"`
}

// Person is somebody who was signed in. An empty id stands for the platform itself.
func Person(userID string) Actor {
	if userID == "" {
		return Platform()
	}
	return Actor{Kind: "person", UserID: userID}
}

// Operator is the one who ran a command on the host.
func Operator() Actor { return Actor{Kind: "operator"} }

// Platform is nobody: the platform did it by itself.
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
)

// Entry is one change. Details may be nil; its values are texts or lists of texts.
type Entry struct {
	Actor   Actor          `json:"actor"`
	Action  Action         `json:"action"`
	Subject Subject        `json:"subject"`
	Details map[string]any `json:"details"`
}

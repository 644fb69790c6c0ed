package authorization

import "github.com/narthex-platform/narthex/services/activity/chain"

func issuedEntry(issued issuance, grantID string) chain.Entry {
	return grantEntry(chain.GrantIssued, chain.Person(issued.actor), issued.userID, issued.permissionID, grantID)
}

func revokedEntry(actor chain.Actor, userID, permissionID, grantID string) chain.Entry {
	return grantEntry(chain.GrantRevoked, actor, userID, permissionID, grantID)
}

// grantEntry concerns the person who holds the grant, so that a person's history shows what they could do.
func grantEntry(action chain.Action, actor chain.Actor, userID, permissionID, grantID string) chain.Entry {
	return chain.Entry{
		Actor:   actor,
		Action:  action,
		Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
		Details: map[string]any{"grantId": grantID, "permissionId": permissionID},
	}
}

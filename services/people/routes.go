package people

import "github.com/narthex-platform/narthex/services/httpapi"

const (
	// manageGrants also allows reading the directory, because a person who gives a permission has to choose the
	// recipient.
	manageGrants = "core.authorization.grants.manage"
	managePeople = "core.people.manage"
	readAccount  = "core.account.read"

	directoryPath  = "/api/v1/people"
	invitationPath = "/api/v1/invitations"
	accountPath    = "/api/v1/account"
)

// Routes is people's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: "GET", Path: directoryPath, Permission: managePeople, OrPermission: manageGrants,
			Handle: s.list,
		},
		httpapi.Write("POST", directoryPath+"/{user_id}/deactivate", managePeople, s.deactivate),
		httpapi.Write("POST", directoryPath+"/{user_id}/reactivate", managePeople, s.reactivate),
		httpapi.Write("POST", directoryPath+"/{user_id}/erase", managePeople, s.erase),
		httpapi.Write("POST", directoryPath+"/{user_id}/remind", managePeople, s.remind),

		{Method: "GET", Path: invitationPath, Permission: managePeople, Handle: s.listInvitations},
		httpapi.Write("POST", invitationPath, managePeople, s.invite),
		{
			Method: "POST", Path: invitationPath + "/many",
			Origin: httpapi.TrustedOrigin,
			Body:   httpapi.WholeBody, MaxBody: maxManyBody,
			Permission: managePeople,
			Handle:     s.inviteMany,
		},
		httpapi.Write("POST", invitationPath+"/{id}/send", managePeople, s.resend),
		httpapi.Write("POST", invitationPath+"/{id}/withdraw", managePeople, s.withdraw),
		httpapi.Write("POST", invitationPath+"/inspect", "",
			s.limited(joinRule, invitationPath+"/inspect", s.inspect)),
		httpapi.Write("POST", invitationPath+"/accept", "",
			s.limited(joinRule, invitationPath+"/accept", s.accept)),

		{Method: "GET", Path: accountPath, Permission: readAccount, Handle: s.account},
		httpapi.Write("PUT", accountPath, readAccount, s.rename),
		{
			Method: "GET", Path: accountPath + "/export", Permission: readAccount,
			Handle: s.limited(exportRule, accountPath+"/export", s.export),
		},
		httpapi.Write("POST", accountPath+"/sign-out-everywhere", readAccount, s.signOutEverywhere),
	}
}

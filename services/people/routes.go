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
	maxBody        = 16 << 10 // bytes
)

// Routes is people's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: "GET", Path: directoryPath, Permission: managePeople, OrPermission: manageGrants,
			Handle: s.list,
		},
		write("POST", directoryPath+"/{user_id}/deactivate", managePeople, s.deactivate),
		write("POST", directoryPath+"/{user_id}/reactivate", managePeople, s.reactivate),
		write("POST", directoryPath+"/{user_id}/erase", managePeople, s.erase),
		write("POST", directoryPath+"/{user_id}/remind", managePeople, s.remind),

		{Method: "GET", Path: invitationPath, Permission: managePeople, Handle: s.listInvitations},
		write("POST", invitationPath, managePeople, s.invite),
		{
			Method: "POST", Path: invitationPath + "/many",
			Origin: httpapi.TrustedOrigin,
			Body:   httpapi.WholeBody, MaxBody: maxManyBody,
			Permission: managePeople,
			Handle:     s.inviteMany,
		},
		write("POST", invitationPath+"/{id}/send", managePeople, s.resend),
		write("POST", invitationPath+"/{id}/withdraw", managePeople, s.withdraw),
		write("POST", invitationPath+"/inspect", "", s.limited(joinRule, invitationPath+"/inspect", s.inspect)),
		write("POST", invitationPath+"/accept", "", s.limited(joinRule, invitationPath+"/accept", s.accept)),

		{Method: "GET", Path: accountPath, Permission: readAccount, Handle: s.account},
		write("PUT", accountPath, readAccount, s.rename),
		{
			Method: "GET", Path: accountPath + "/export", Permission: readAccount,
			Handle: s.limited(exportRule, accountPath+"/export", s.export),
		},
		write("POST", accountPath+"/sign-out-everywhere", readAccount, s.signOutEverywhere),
	}
}

func write(method, path, permission string, handle httpapi.Handler) httpapi.Route {
	return httpapi.Route{
		Method: method, Path: path,
		Origin: httpapi.TrustedOrigin,
		Body:   httpapi.WholeBody, MaxBody: maxBody,
		Permission: permission,
		Handle:     handle,
	}
}

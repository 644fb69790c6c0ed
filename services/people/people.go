// Package people owns the directory of people and what a person does with their own account: who has an
// account here, for those who give permissions to them, and one's own name and sessions.
//
// Of the rows of core.person it writes names alone. How a person proves who they are, and the sessions that
// follow from it, belong to services/identity.
package people

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	// manageGrants opens the directory: who gives a permission has to choose a person.
	manageGrants = "core.authorization.grants.manage"
	readAccount  = "core.account.read"

	directoryPath = "/api/v1/people"
	accountPath   = "/api/v1/account"
	maxBody       = 16 << 10 // bytes
)

// Sessions ends sessions of people.
type Sessions interface {
	// SignOutEverywhere ends every session that a person has, and clears the session's cookie in the header of
	// the response. An error means that the store failed; then it is unknown whether they have ended.
	SignOutEverywhere(ctx context.Context, userID string, response http.Header) error
}

// Service answers the routes about people. Safe for concurrent use; it runs nothing of its own.
type Service struct {
	store    *Store
	sessions Sessions
}

// Config holds the dependencies of a Service. All fields are required.
type Config struct {
	Store    *Store
	Sessions Sessions
}

// New opens no connection and starts nothing.
func New(config Config) *Service { return &Service{config.Store, config.Sessions} }

// Routes is people's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: directoryPath, Permission: manageGrants, Handle: s.list},
		{Method: "GET", Path: accountPath, Permission: readAccount, Handle: s.account},
		write("PUT", accountPath, readAccount, s.rename),
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

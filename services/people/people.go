// Package people owns the directory of people: who has an account here, for those who give permissions to
// them.
//
// It reads the rows of core.person and writes none of them. How a person proves who they are belongs to
// services/identity.
package people

import "github.com/narthex-platform/narthex/services/httpapi"

// manageGrants opens the directory: who gives a permission has to choose a person.
const manageGrants = "core.authorization.grants.manage"

// Service answers the routes about people. Safe for concurrent use; it runs nothing of its own.
type Service struct{ store *Store }

// New needs a store.
func New(store *Store) *Service { return &Service{store} }

// Routes is the directory's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{{Method: "GET", Path: "/api/v1/people", Permission: manageGrants, Handle: s.list}}
}

package dashboard

import "github.com/narthex-platform/narthex/services/httpapi"

// Routes is the Dashboard's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/", Head: true, Handle: s.page.Send},
		{Method: "GET", Path: "/assets/service-dashboard/app.js", Head: true, Handle: s.script.Send},
		{Method: "GET", Path: "/assets/service-dashboard/administration.js", Head: true,
			Handle: s.administration.Send},
		{Method: "GET", Path: "/.well-known/change-password", Head: true, Handle: changePassword},
	}
}

package dashboard

import "github.com/narthex-platform/narthex/services/httpapi"

// Routes is the Dashboard's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		{Method: "GET", Path: "/", Head: true, Handle: s.page.Send},
		{Method: "GET", Path: "/.well-known/change-password", Head: true, Handle: changePassword},
	}
	for n, name := range scriptFiles {
		routes = append(routes, httpapi.Route{Method: "GET", Path: "/assets/service-dashboard/" + name, Head: true,
			Handle: s.scripts[n].Send})
	}
	return routes
}

package activity

import "github.com/narthex-platform/narthex/services/httpapi"

const readActivity = "core.activity.read"

// Routes is activity's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/api/v1/activity", Permission: readActivity, Handle: s.list},
	}
}

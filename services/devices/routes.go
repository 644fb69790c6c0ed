package devices

import (
	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	pairingPath = "/api/v1/device-pairing"
	devicesPath = "/api/v1/devices"

	maxBody = 16 << 10 // bytes
)

// Routes is this package's part of the route table. The first three are for screens; the claim cookie is
// their only authentication.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		write("POST", pairingPath, "", s.ask),
		{Method: "GET", Path: pairingPath, Handle: s.state},
		write("POST", pairingPath+"/claim", "", s.collect),

		{Method: "GET", Path: pairingPath + "/requests/{code}", Permission: ManageDevices, Handle: s.request},
		write("POST", pairingPath+"/{code}/approve", ManageDevices, s.approve),
		write("POST", pairingPath+"/{code}/reject", ManageDevices, s.reject),

		{Method: "GET", Path: devicesPath, Permission: ManageDevices, Handle: s.list},
		write("PUT", devicesPath+"/{id}", ManageDevices, s.rename),
		write("POST", devicesPath+"/{id}/revoke", ManageDevices, s.revoke),
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

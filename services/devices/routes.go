package devices

import (
	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	pairingPath = "/api/v1/device-pairing"
	devicesPath = "/api/v1/devices"
)

// Routes is this package's part of the route table. The first three are for screens; the claim cookie is
// their only authentication.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Write("POST", pairingPath, "", s.ask),
		{Method: "GET", Path: pairingPath, Handle: s.state},
		httpapi.Write("POST", pairingPath+"/claim", "", s.collect),

		{Method: "GET", Path: pairingPath + "/requests/{code}", Permission: ManageDevices, Handle: s.request},
		httpapi.Write("POST", pairingPath+"/{code}/approve", ManageDevices, s.approve),
		httpapi.Write("POST", pairingPath+"/{code}/reject", ManageDevices, s.reject),

		{Method: "GET", Path: devicesPath, Permission: ManageDevices, Handle: s.list},
		httpapi.Write("PUT", devicesPath+"/{id}", ManageDevices, s.rename),
		httpapi.Write("POST", devicesPath+"/{id}/revoke", ManageDevices, s.revoke),
	}
}

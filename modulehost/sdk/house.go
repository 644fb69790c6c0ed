package sdk

import (
	"context"
	"time"
	_ "time/tzdata" // a module cannot read the machine's table of time zones

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// House is what an administrator has set for the whole house.
type House struct {
	Name     string // "": none was given
	Language string // of the house's mails: "en", "de"
	// Zone is the time zone in which the house lives: every time that people read or type is a time in it. It is
	// UTC until an administrator has set it.
	Zone *time.Location
	// TimeZone is the name of Zone, such as Europe/Berlin; "": none was set.
	TimeZone string
	// Rev counts the changes of the house. Processes that share a database may learn of a change within 10 s of
	// each other: of two houses the one with the larger rev is newer.
	Rev int64
}

// House returns the house as it is now, or as it was when the request of ctx arrived. Ask whenever the house
// is needed instead of storing it: a change takes effect without a restart, and the SDK asks the platform in
// a request only after a change. Errors: ctx's own, or one of any call.
func (h *Host) House(ctx context.Context) (House, error) {
	request, _ := ctx.Value(requestKey{}).(*abi.HandleRequest)
	if last := h.house.Load(); request != nil && request.HouseRev != nil && last != nil &&
		last.Rev == request.GetHouseRev() {
		return *last, nil
	}
	var response abi.HouseResponse
	if err := call(ctx, h.client, abi.Method_METHOD_HOUSE, &abi.HouseRequest{}, &response); err != nil {
		return House{}, err
	}
	house := House{Name: response.GetName(), Language: response.GetLanguage(), TimeZone: response.GetTimeZone(),
		Rev: response.GetRev()}
	var err error
	if house.Zone, err = time.LoadLocation(house.TimeZone); err != nil {
		house.Zone, house.TimeZone = time.UTC, "" // a zone that is younger than this module's table
	}
	h.house.Store(&house)
	return house, nil
}

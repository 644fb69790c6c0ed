package gateway

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// RealtimePrefix is the path below which the channels of all modules are.
const RealtimePrefix = "/api/v1/module-realtime/"

// Stream serves the readers of one channel.
type Stream interface {
	// Stream returns when the stream has ended. An error has a code and means that nothing was written.
	Stream(w http.ResponseWriter, r *http.Request) error
}

var channelName = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*$`)

const (
	maxChannels    = 64
	maxChannelName = 64
)

// CheckChannels refuses channels that could not be routed or read: an invalid name, a name that is registered
// twice, or a permission that the manifest does not declare.
func CheckChannels(permissions []string, channels []*abi.Channel) error {
	if len(channels) > maxChannels {
		return fmt.Errorf("a module has at most %d channels", maxChannels)
	}
	declared := make(map[string]bool, len(permissions))
	for _, permission := range permissions {
		declared[permission] = true
	}
	seen := make(map[string]bool, len(channels))
	for _, channel := range channels {
		switch name := channel.GetName(); {
		case len(name) > maxChannelName || !channelName.MatchString(name):
			return fmt.Errorf("a channel's name must be lower-case words, joined by dots, of at most %d characters",
				maxChannelName)
		case seen[name]:
			return fmt.Errorf("channel %s is registered twice", name)
		case !declared[channel.GetPermission()]:
			return fmt.Errorf("channel %s: the permission %s is not declared in the manifest; add it to "+
				"permissions in module.json, or use one of: %s", name, quoted(channel.GetPermission()),
				list(permissions))
		}
		seen[channel.GetName()] = true
	}
	return nil
}

// ChannelRoute returns a channel's row of the route table.
func ChannelRoute(moduleID string, channel *abi.Channel, stream Stream) httpapi.Route {
	return httpapi.Route{
		Method:     "GET",
		Path:       RealtimePrefix + moduleID + "/" + channel.GetName(),
		Permission: channel.GetPermission(),
		Module:     moduleID,
		Handle:     func(c *httpapi.Call) error { return stream.Stream(c.Writer, c.Request) },
		Stream:     true,
	}
}

package sdk

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Host is the interface of the platform for a started module. Safe for concurrent use.
type Host struct {
	DB       *DB      // nil unless the manifest declares a database
	Storage  *Storage // for the buckets that the manifest declares
	Mail     *Mail
	Realtime *Realtime
	People   *People // fails unless the manifest asks for names of people
	Links    *Links  // fails unless the manifest has entrypoints.link
	Config   Configuration
	// Log writes to the platform's log, from level Info on. A line has at most 1 KiB of text and 16 attributes
	// of 256 bytes; more is cut. At most 100 lines are written in 10 s; further ones are only counted. A call
	// blocks for at most 2 s.
	Log *slog.Logger

	client      *link.Client
	invocations chan struct{} // a slot for each call to another module
	house       atomic.Pointer[House]
	declared    *abi.Declared // nil: the platform is older
	reported    sync.Map      // permissions that were reported as unknown
}

func newHost(client *link.Client, registry *Registry, start *abi.StartRequest) *Host {
	host := &Host{
		Storage:     newStorage(client, start.GetDeclared()),
		Mail:        newMail(client),
		Realtime:    &Realtime{client: client, channels: registry.channels.byName},
		People:      &People{client: client},
		Links:       &Links{client: client},
		Config:      newConfiguration(start.GetConfiguration(), start.GetDeclared()),
		Log:         slog.New(&logHandler{client: client}),
		client:      client,
		declared:    start.GetDeclared(),
		invocations: make(chan struct{}, maxInvocations),
	}
	if start.GetDatabase() {
		host.DB = newDB(client)
	}
	return host
}

// ErrOutsideRequest: Can was called with a context that belongs to no request.
const ErrOutsideRequest = Error("OUTSIDE_REQUEST")

// Can reports whether the request's principal holds a permission of this module. It returns false for a
// permission that the manifest does not declare, and tells the author of it. ctx is the request's context.
// Errors: ErrOutsideRequest, ErrPrincipalUnresolved, ctx's own, or one of any call.
func (h *Host) Can(ctx context.Context, permission string) (bool, error) {
	request, found := ctx.Value(requestKey{}).(*abi.HandleRequest)
	if !found {
		return false, ErrOutsideRequest
	}
	err := missing(h.declared, h.declared.GetPermissions(), permission, "PERMISSION_UNKNOWN",
		"module.json declares no permission", "nobody can hold it; add it to permissions")
	if err != nil {
		if _, known := h.reported.LoadOrStore(permission, true); !known {
			reportError("Can", err)
		}
		return false, nil
	}
	var response abi.AllowedResponse
	err = call(ctx, h.client, abi.Method_METHOD_ALLOWED,
		&abi.AllowedRequest{Call: request.GetCall(), Permission: permission}, &response)
	return response.GetAllowed(), err
}

// requestKey is the context key of the request's message.
type requestKey struct{}

// The kinds of a Caller.
const (
	Anonymous     = "anonymous"
	Authenticated = "authenticated"
	Device        = "device"
	Link          = "link"
)

// Caller identifies who sent a request, by an opaque id. It never contains an address or a name.
type Caller struct {
	Kind     string // Anonymous, Authenticated, Device or Link
	UserID   string // Authenticated only
	DeviceID string // Device only
	LinkID   string // Link only
	Subject  string // Link only: what the module has made the link for (Links.Create)
}

// Principal returns who sent the request that ctx belongs to, or Anonymous if ctx belongs to no request.
func Principal(ctx context.Context) Caller {
	request, _ := ctx.Value(requestKey{}).(*abi.HandleRequest)
	who := request.GetPrincipal()
	switch who.GetKind() {
	case abi.Principal_AUTHENTICATED:
		return Caller{Kind: Authenticated, UserID: who.GetUserId()}
	case abi.Principal_DEVICE:
		return Caller{Kind: Device, DeviceID: who.GetDeviceId()}
	case abi.Principal_LINK:
		return Caller{Kind: Link, LinkID: who.GetLinkId(), Subject: who.GetSubject()}
	}
	return Caller{Kind: Anonymous}
}

package doctor

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
)

// nameLimit limits the wait for a name server.
const nameLimit = 3 * time.Second

// names looks up the names of the addresses that people open. It only warns, because browsers may have
// another name server than this machine.
func (e *Examination) names(ctx context.Context) {
	if e.Sound&environment.IdentitySection == 0 {
		return
	}
	e.name(ctx, "SERVICE_IDENTITY_BASE_URL", "Base URL", e.Settings.Identity.BaseURL)
	if e.Topology != "same-origin" {
		e.name(ctx, "SERVICE_DASHBOARD_ORIGIN", "Dashboard", e.Settings.Identity.Dashboard)
	}
}

func (e *Examination) name(ctx context.Context, variable, what string, origin environment.Origin) {
	parsed, err := url.Parse(string(origin))
	if err != nil {
		return
	}
	host := parsed.Hostname()
	_, err = netip.ParseAddr(host)
	if err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return // browsers look none of them up (RFC 6761, 6.3)
	}
	ctx, cancel := context.WithTimeout(ctx, nameLimit)
	defer cancel()
	_, err = net.DefaultResolver.LookupHost(ctx, host)
	failure := (*net.DNSError)(nil)
	switch {
	case err == nil:
		e.ok("%s: its name is found.", what)
	case errors.As(err, &failure) && failure.IsNotFound:
		e.warn("BASE_URL_UNRESOLVED", "The name in "+variable+" is not found by this machine, so browsers may not "+
			"find it either; correct it, or add it to the DNS.")
	default:
		e.warn("BASE_URL_UNRESOLVED", "The name in "+variable+" could not be looked up, because no name server "+
			"answers this machine; see /etc/resolv.conf.")
	}
}

package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/services/environment"
)

// environment reads each section separately, so that one problem hides no other.
func (e *Examination) environment() {
	sections := []environment.Section{environment.DatabaseSection, environment.ModulesSection,
		environment.ServerSection,
		environment.IdentitySection, environment.HostSection}
	for _, section := range sections {
		if _, err := environment.Load(e.lookup, section); err == nil {
			e.Sound |= section
		}
	}
	e.Settings, _ = environment.Load(e.lookup, e.Sound)
	if _, err := environment.Load(e.lookup, environment.Everything); err != nil {
		for _, finding := range err.(environment.Findings) {
			e.block(finding.Code(), withoutCode(finding))
		}
		return
	}
	if e.Settings.Production {
		e.ok("Environment: every setting that is read is valid, for production.")
	} else {
		e.ok("Environment: every setting that is read is valid, for development (NODE_ENV).")
	}
}

// topology reports how the parts of the installation are arranged, without naming them.
func (e *Examination) topology() {
	if servers := len(e.Settings.Database.Servers); servers > 1 {
		e.ok("Topology: %d database servers, of which the platform uses the one that accepts writes.", servers)
	}
	if e.Sound&environment.IdentitySection == 0 {
		return
	}
	identity := e.Settings.Identity
	if identity.PreviousSecret.Reveal() != "" {
		e.warn("IDENTITY_SECRET_PREVIOUS_SET",
			"SERVICE_IDENTITY_SECRET_PREVIOUS is still accepted; remove it 30 days after the "+
				"secret was replaced, and at once if it has leaked.")
	}
	e.Topology = identity.Topology()
	if e.Topology == "same-origin" {
		e.ok("Topology: the Dashboard and the API share one origin.")
		return
	}
	e.ok("Topology: the Dashboard has an origin of its own.")
	if !slices.Contains(identity.TrustedOrigins, identity.Dashboard) {
		e.block("DASHBOARD_ORIGIN_NOT_TRUSTED",
			"SERVICE_DASHBOARD_ORIGIN must be listed in SERVICE_IDENTITY_TRUSTED_ORIGINS too.")
	}
	if !siblings(identity.BaseURL, identity.Dashboard) {
		e.warn("HOSTNAMES_NOT_SIBLINGS",
			"The Dashboard and the API do not belong to one registrable domain, so browsers may not send "+
				"the session cookie; put both below one domain.")
	}
}

// clientAddresses warns if all clients have one address. In production the base URL has https, which the
// platform does not speak, so a proxy makes every connection.
func (e *Examination) clientAddresses() {
	if e.Sound&environment.ServerSection == 0 || !e.Settings.Production ||
		e.Settings.ClientAddress.TrustedProxy {
		return
	}
	e.warn("CLIENT_ADDRESS_DIRECT", "The platform takes the address of the proxy for that of every client, so "+
		"all people share one limit of attempts to sign in; set SERVICE_CLIENT_ADDRESS_MODE to trusted-proxy, "+
		"with the proxy's header and addresses.")
}

// siblings reports whether browsers treat two origins as the same site.
func siblings(a, b environment.Origin) bool {
	hosts := [2]string{}
	for i, origin := range []environment.Origin{a, b} {
		parsed, err := url.Parse(string(origin))
		if err != nil {
			return false
		}
		hosts[i] = parsed.Hostname()
	}
	if hosts[0] == hosts[1] {
		return a.HTTPS() == b.HTTPS()
	}
	first, err := publicsuffix.EffectiveTLDPlusOne(hosts[0])
	if err != nil {
		return false // an address, or a name without a domain
	}
	second, err := publicsuffix.EffectiveTLDPlusOne(hosts[1])
	return err == nil && first == second && a.HTTPS() == b.HTTPS()
}

// packages reads the installed modules as a start does.
func (e *Examination) packages() {
	if e.Sound&environment.ModulesSection == 0 {
		return
	}
	installed, err := platform.InstalledModules(e.Settings)
	if err == nil {
		_, err = platform.ComposeRegistry(installed)
	}
	if findings := catalog.Findings(nil); errors.As(err, &findings) {
		for _, finding := range findings {
			e.block(finding.Code.Code(), strings.TrimPrefix(finding.Error(), finding.Code.Code()+": "))
		}
		return
	}
	if err != nil {
		e.blockAll(err)
		return
	}
	e.Installed = installed
	e.ok("Modules: %d installed, %d permissions in the registry.", len(installed.Modules),
		len(installed.Permissions))
	for _, sentence := range platform.Misspelt(installed, "") {
		e.warn("DEPENDENCY_MISSPELT", sentence)
	}
	e.Contributions = platform.ListContributions(installed, "")
	for _, c := range e.Contributions {
		if c.Provider != nil {
			e.ok("Contribution %s: %s takes it (%s %s).", c.ID, *c.Provider, c.Capability, c.Range)
		} else {
			e.ok("Contribution %s: no installed module provides %s %s, so it is not published.", c.ID, c.Capability,
				c.Range)
		}
	}
}

// backplane checks NATS, which carries updates between several processes. Nothing here blocks, because
// without it each process still serves its own readers.
func (e *Examination) backplane(ctx context.Context) {
	servers := e.Settings.Realtime.NATS
	if e.Sound&environment.HostSection == 0 || len(servers) == 0 {
		return
	}
	reasons := backplane.Probe(ctx, servers)
	if len(reasons) == 0 {
		e.ok("Realtime: the NATS server can be used.")
		return
	}
	e.warn("REALTIME_UNAVAILABLE",
		fmt.Sprintf("%d of %d NATS servers (SERVICE_REALTIME_NATS_URL) cannot be used: %s; readers in other "+
			"processes get no updates while none can.", len(reasons), len(servers), strings.Join(reasons, ", ")))
}

// sandbox reports what this kernel offers to isolate modules. Making the platform's memory non-dumpable does
// not depend on the kernel: a start always does it first.
func (e *Examination) sandbox(sandbox process.SandboxReport) {
	sandbox.NonDumpable = true
	own, err := process.NewUsers()
	if err != nil {
		e.blockAll(err)
	}
	switch missing := sandbox.Missing(); {
	case missing == nil && own != nil:
		e.ok("Sandbox: complete (Landlock version %d, system call filter, a user for each module).",
			sandbox.Landlock)
	case missing == nil:
		e.ok("Sandbox: complete (Landlock version %d, system call filter); modules share the platform's user.",
			sandbox.Landlock)
	default:
		message := "This kernel lacks " + strings.Join(missing, " and ") +
			", so modules are not kept apart; use Linux 5.13 or newer " +
			"with Landlock and seccomp."
		if e.Settings.Production {
			e.block(process.ErrSandboxUnavailable.Code(), message)
		} else {
			e.warn(process.ErrSandboxUnavailable.Code(), message)
		}
	}
	if own != nil && !own.Usual() {
		first, last := own.Range()
		e.ok("Sandbox: this user namespace lacks the user ids from 1879048192, "+
			"so modules get ids from %d to %d, which others of this machine may have too.", first, last)
	}
	if lacks := sandbox.LandlockLacks(); sandbox.Landlock > 0 && len(lacks) > 0 {
		for i, word := range lacks {
			lacks[i] = landlockWords[word]
		}
		e.ok("Sandbox: the system call filter alone keeps modules from %s; "+
			"a newer kernel's Landlock would do so too. Nothing is missing.", strings.Join(lacks, ", "))
	}
}

// landlockWords describes each word of SandboxReport.LandlockLacks.
var landlockWords = map[string]string{
	"refer":    "moving files between folders",
	"truncate": "truncating files",
	"tcp":      "TCP connections",
	"ioctl":    "commands to devices",
	"scopes":   "signals and abstract sockets of other processes",
	"unix":     "Unix sockets in the file system",
	"udp":      "UDP",
}

// withoutCode returns the sentence of a failure without its code.
func withoutCode(f platform.Coded) string {
	_, text, _ := strings.Cut(platform.Sentence(f), ": ")
	return text
}

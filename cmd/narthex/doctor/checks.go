package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/migrations"
	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/database"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/secondfactor"
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

// Store checks the database: whether it is usable, and which modules a start would run with it.
func (e *Examination) Store(ctx context.Context) {
	if e.Sound&environment.DatabaseSection == 0 || e.Installed == nil {
		return
	}
	e.servers(ctx)
	e.blockAll(database.CheckConnections(e.Settings.Database, len(platform.MigrationLines(e.Installed))))
	err := platform.WithDatabase(ctx, e.Settings.Database, platform.MigrationLines(e.Installed),
		func(db *database.Database) error {
			e.ok("Database: reachable, a version that is supported, every migration applied.")
			e.owner(ctx, db)
			e.orphaned(ctx, db)
			e.roles(ctx, db)
			e.changedRoles(ctx)
			e.rights(ctx, db)
			e.connections(ctx, db)
			e.server(ctx, db)
			e.processes(ctx, db)
			e.listeners(ctx, db)
			e.activity(ctx, db)
			e.backup(ctx, db)
			e.secondFactor(ctx, db)
			e.timeZone(ctx, db)
			e.unknownSettings(ctx, db)
			e.links(ctx, db)
			if e.Sound&environment.HostSection == 0 {
				return nil
			}
			modules, err := platform.ListModules(ctx,
				platform.NewResolver(e.Installed, db, e.Settings, platform.Secrets{Lookup: e.lookup}))
			e.Modules = append(e.Modules, modules...)
			for _, m := range modules {
				if m.Next.State == catalog.Blocked {
					e.warn("MODULE_BLOCKED", m.ID+" will not start: "+m.Because+".")
				} else {
					e.ok("Module %s %s: %s at the next start.", m.ID, m.Version, m.Outcome())
				}
			}
			return err
		})
	e.blockAll(err)
	if errors.Is(err, migrations.ErrSchemaMissing) || errors.Is(err, migrations.ErrSchemaOutdated) {
		e.predictMigration(ctx)
	}
}

// predictMigration reports what would stop migrations:apply, which another finding has just recommended.
func (e *Examination) predictMigration(ctx context.Context) {
	db, err := database.Open(e.Settings.Database)
	if err != nil {
		e.blockAll(err)
		return
	}
	missing, err := migrations.Unprovided(ctx, db.Pool(), platform.MigrationLines(e.Installed))
	if err = errors.Join(err, db.Close()); err != nil {
		e.blockAll(err)
	}
	if len(missing) == 0 {
		return
	}
	if e.Settings.Production {
		e.block(migrations.ErrRoleUnavailable.Code(),
			"The database user may not create roles, which "+strings.Join(missing, ", ")+
				" still lack; migrations:apply will print the SQL that an administrator can run instead.")
	} else {
		e.warn(migrations.ErrRoleUnavailable.Code(),
			"The database user may not create roles, so after migrations:apply "+
				strings.Join(missing, ", ")+" will share its role, and nothing will separate their data.")
	}
}

// owner warns if nobody owns the platform. It does not block, because the platform starts.
func (e *Examination) owner(ctx context.Context, db *database.Database) {
	switch owned, err := identity.NewStore(db.Pool()).Owned(ctx); {
	case err != nil:
		e.blockAll(platform.StoreFailure(err))
	case !owned:
		e.warn(identity.ErrOwnerMissing.Code(), "Nobody owns the platform, so nobody can invite others or "+
			"administer it; run identity:create-initial-owner, or authorization:bootstrap-owner for a person who has "+
			"an account.")
	default:
		e.ok("Owner: the platform has one.")
	}
}

// roles warns of modules that use the platform's own database role, which production refuses.
func (e *Examination) roles(ctx context.Context, db *database.Database) {
	roles, err := db.ModuleRoles(ctx)
	if err != nil {
		e.blockAll(platform.StoreFailure(err))
		return
	}
	for _, m := range e.Installed.Modules {
		role, found := roles[m.Manifest.ID]
		if !found || role.Role != "" {
			continue
		}
		message := "Module " + m.Manifest.ID +
			" shares the platform's database role, so nothing separates their data; let " +
			"migrations:apply create roles."
		if e.Settings.Production {
			e.block(migrations.ErrRoleUnavailable.Code(), message)
		} else {
			e.warn(migrations.ErrRoleUnavailable.Code(), message)
		}
	}
}

// changedRoles warns of modules that have changed the settings or the password of their database role.
func (e *Examination) changedRoles(ctx context.Context) {
	changed, err := migrations.ChangedRoles(ctx, database.Config(e.Settings.Database),
		platform.MigrationLines(e.Installed))
	if err != nil {
		e.blockAll(err)
	}
	for _, id := range changed {
		e.warn("MODULE_DATABASE_ROLE_CHANGED",
			"Module "+id+" has changed the settings or the password of its database role; "+
				"migrations:apply sets them again.")
	}
}

// connections compares how many connections this process may open with how many the server accepts.
func (e *Examination) connections(ctx context.Context, db *database.Database) {
	needed := database.Connections(e.Settings.Database, len(platform.MigrationLines(e.Installed)))
	offered, err := db.ServerConnections(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case needed > offered:
		e.warn("DATABASE_CONNECTIONS_FEW",
			fmt.Sprintf("A process of the platform may open %d connections, and the database takes %d; "+
				"raise its max_connections, or set SERVICE_DATABASE_CONNECTIONS.", needed, offered))
	default:
		e.ok("Database connections: a process of the platform may open %d, and the database takes %d.", needed,
			offered)
	}
}

// activity prints the count and the hash. Only by comparing them with values noted elsewhere can somebody
// find out that the whole record was rewritten.
func (e *Examination) activity(ctx context.Context, db *database.Database) {
	verdict, err := activity.Verify(ctx, activity.NewStore(db.Pool()))
	switch {
	case err != nil:
		e.blockAll(err)
	case verdict.Broken != 0:
		e.block("ACTIVITY_CHAIN_BROKEN", fmt.Sprintf(
			"The record of who changed what was changed or shortened at entry %d (it counts %d, hash %s); "+
				"compare it with a backup, and find out who can write to the database.",
			verdict.Broken, verdict.Count, verdict.Hash))
	default:
		e.ok("Activity: %d entries, unbroken, hash %s.", verdict.Count, verdict.Hash)
	}
}

// backupAge is the maximum age of the latest verified backup: one night may be missed.
const backupAge = 48 * time.Hour

// backup reports when a backup was last verified. Its absence does not block, because everything works
// without one.
func (e *Examination) backup(ctx context.Context, db *database.Database) {
	const remedy = "; run backup:create and backup:verify, best every night (narthex-backup.timer)."
	run, err := house.NewStore(db.Pool()).LastBackup(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case run.VerifiedAt.IsZero():
		e.warn("BACKUP_NOT_VERIFIED", "No backup has been proven yet"+remedy)
	case run.Verdict != nil:
		e.warn("BACKUP_NOT_VERIFIED", "The latest backup is not good: "+*run.Verdict+remedy)
	case time.Since(run.VerifiedAt) > backupAge:
		e.warn("BACKUP_NOT_VERIFIED", "The latest backup was proven more than two days ago"+remedy)
	default:
		e.ok("Backup: the latest one was proven %s.", run.VerifiedAt.UTC().Format("2006-01-02 15:04 UTC"))
	}
}

// timeZone asks for the zone of the house. Without one servers use UTC, and each page that of its browser.
func (e *Examination) timeZone(ctx context.Context, db *database.Database) {
	found, err := house.NewStore(db.Pool()).Read(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case found.TimeZone == nil:
		e.warn("HOUSE_TIME_ZONE_MISSING", "The house has no time zone, so mails and calendars use UTC; choose it "+
			"on the Dashboard's page House.")
	default:
		e.ok("House: its times are those of %s.", *found.TimeZone)
	}
}

// secondFactor warns about an owner who is kept from administering the house.
func (e *Examination) secondFactor(ctx context.Context, db *database.Database) {
	lacks, err := secondfactor.NewStore(db.Pool()).OwnerLacks(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case lacks:
		e.warn("OWNER_WITHOUT_SECOND_FACTOR", "The house asks its administrators for a second factor, and the "+
			"owner has none, so they cannot administer it; they add a passkey under Account.")
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

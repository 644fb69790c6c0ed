package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/services/database"
)

// servers connects to each of several database servers separately. The platform uses only one of them, and
// does not notice that the others could not take over.
func (e *Examination) servers(ctx context.Context) {
	if len(e.Settings.Database.Servers) == 1 {
		return
	}
	states := database.Survey(ctx, e.Settings.Database)
	e.judge(count(states))
	for _, state := range states {
		left := time.Until(state.CertificateEnd)
		if !state.Writable && !state.CertificateEnd.IsZero() && left < certificateWarning {
			e.warn("DATABASE_CERTIFICATE_ENDS", fmt.Sprintf("The certificate of a standby ends in %d days; renew it, "+
				"or the platform cannot use that server when the primary fails.", max(int(left/(24*time.Hour)), 0)))
		}
	}
}

func (e *Examination) judge(found serverCount) {
	switch {
	case found.clusters > 1:
		e.block("DATABASE_SERVERS_UNRELATED", found.String()+"; they hold different databases, so a "+
			"failover would change the data. Let DATABASE_URL name a primary and its standbys.")
	case found.writable > 1:
		e.block("DATABASE_SEVERAL_PRIMARIES", found.String()+"; stop all but the one that was promoted last: "+
			"their data differ more with each write.")
	case found.answering < found.all:
		e.warn("DATABASE_SERVERS_UNREACHABLE", found.String()+" (the others: "+strings.Join(found.reasons, ", ")+
			"); bring them back, or nothing takes over when the primary fails.")
	default: // without a writable one, the next finding blocks
		e.ok("%s.", found)
	}
}

// serverCount summarises all servers.
type serverCount struct {
	all, answering, writable, clusters int
	reasons                            []string // why others do not respond, without duplicates
}

func count(states []database.ServerState) serverCount {
	counted := serverCount{all: len(states)}
	var clusters, primaries []string
	for _, state := range states {
		if state.Why != "" {
			counted.reasons = append(counted.reasons, string(state.Why))
			continue
		}
		counted.answering++
		clusters = append(clusters, state.Cluster)
		if state.Writable {
			primaries = append(primaries, state.Cluster+" "+state.Instance)
		}
	}
	counted.clusters, counted.writable = distinct(clusters), distinct(primaries)
	slices.Sort(counted.reasons)
	counted.reasons = slices.Compact(counted.reasons)
	return counted
}

func distinct(words []string) int {
	slices.Sort(words)
	return len(slices.Compact(words))
}

// String contains no server's name.
func (c serverCount) String() string {
	return fmt.Sprintf("Database servers: %d of %d answer, writable: %d", c.answering, c.all, c.writable)
}

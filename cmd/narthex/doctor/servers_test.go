package doctor

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database"
)

func TestServers(t *testing.T) {
	gone := database.ServerState{Why: database.WhyRefused}
	primary := database.ServerState{Writable: true, Cluster: "1", Instance: "a"}
	standby := database.ServerState{Cluster: "1", Instance: "b"}
	promoted := database.ServerState{Writable: true, Cluster: "1", Instance: "b"}
	stranger := database.ServerState{Cluster: "2", Instance: "c"}
	for _, row := range []struct {
		name   string
		states []database.ServerState
		want   healthFinding
	}{
		{"a primary and its standby", []database.ServerState{primary, standby},
			healthFinding{levelOK, "", "Database servers: 2 of 2 answer, writable: 1."}},
		{"two ways to one primary", []database.ServerState{primary, primary},
			healthFinding{levelOK, "", "Database servers: 2 of 2 answer, writable: 1."}},
		{"standbys alone", []database.ServerState{standby, standby},
			healthFinding{levelOK, "", "Database servers: 2 of 2 answer, writable: 0."}},
		{"one of three is gone", []database.ServerState{primary, gone, standby},
			healthFinding{levelWarning, "DATABASE_SERVERS_UNREACHABLE", "Database servers: 2 of 3 answer, " +
				"writable: 1 (the others: refused); bring them back, or nothing takes over when the primary fails."}},
		{"the old primary is back", []database.ServerState{primary, promoted, gone},
			healthFinding{LevelBlocking, "DATABASE_SEVERAL_PRIMARIES", "Database servers: 2 of 3 answer, " +
				"writable: 2; stop all but the one that was promoted last: their data differ more with each write."}},
		{"another database", []database.ServerState{primary, stranger},
			healthFinding{LevelBlocking, "DATABASE_SERVERS_UNRELATED", "Database servers: 2 of 2 answer, " +
				"writable: 1; they hold different databases, so a failover would change the data. Let DATABASE_URL " +
				"name a primary and its standbys."}},
	} {
		e := &Examination{}
		e.judge(count(row.states))
		if len(e.Findings) != 1 || e.Findings[0] != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, e.Findings, row.want)
		}
	}
}

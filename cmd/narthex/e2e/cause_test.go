package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestCauseOfA503: somebody else holds a lock for ever. The request does not wait for the lock as long as it
// waits for the database, and the log line of its 503 says why.
func TestCauseOfA503(t *testing.T) {
	t.Parallel()
	i := install(t)
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	databasetest.Lock(t, i.db.Pool(t), "SELECT FROM core.house FOR UPDATE")
	got := owner.do("PUT", "/api/v1/house",
		object{"name": "St. Mary", "accent": "plum", "language": "en", "timeZone": nil, "secondFactor": "optional"})
	if got.status != http.StatusServiceUnavailable {
		t.Errorf("PUT /api/v1/house: status %d, want 503; body %s", got.status, got.body)
	}
	const line = `"msg":"request failed","code":"STORE_UNAVAILABLE"`
	daemon.awaitOutput(t, &daemon.stderr, line)
	if said := daemon.stderr.String(); !strings.Contains(said, `"cause":"timeout"`) {
		t.Errorf("the log has no cause:\n%s", said)
	}
}

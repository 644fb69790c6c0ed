package authorization_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Even the role that owns the table cannot change its rows.
func TestAuditIsAppendOnly(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	id := h.issue(t, owner, owner.UserID, manage)
	for _, change := range []string{
		"UPDATE core.permission_grant_audit SET actor_id = NULL",
		"UPDATE core.permission_grant_audit SET at = now() WHERE false",
		"DELETE FROM core.permission_grant_audit",
		"TRUNCATE core.permission_grant_audit",
		"TRUNCATE core.permission_grant CASCADE",
		"TRUNCATE core.person CASCADE",
		"INSERT INTO core.permission_grant_audit SELECT * FROM core.permission_grant_audit ON CONFLICT (id) DO " +
			"UPDATE SET action = 'revoked'",
	} {
		_, err := h.Pool(t).
			Exec(t.Context(), strings.Replace(change, "INSERT INTO core.permission_grant_audit SELECT",
				"INSERT INTO core.permission_grant_audit OVERRIDING SYSTEM VALUE SELECT", 1))
		if err == nil || !strings.Contains(err.Error(), "core.permission_grant_audit is append-only") {
			t.Errorf("%s: error %v, want a refusal", change, err)
		}
	}
	audit := "INSERT INTO core.permission_grant_audit (grant_id, action, at) VALUES ('" + id + "', "
	for change, constraint := range map[string]string{
		"DELETE FROM core.permission_grant":                        "permission_grant_audit_grant_id_fkey",
		"DELETE FROM core.platform_owner; DELETE FROM core.person": "permission_grant_person_id_fkey",
		audit + "'issued', now())":                                 "permission_grant_audit_once",
		audit + "'forgotten', now())":                              "permission_grant_audit_action_check",
	} {
		_, err := h.Pool(t).Exec(t.Context(), change)
		if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.ConstraintName != constraint {
			t.Errorf("%s: error %v, want a refusal", change, err)
		}
	}
	h.assertRows(t, 1, 1)
}

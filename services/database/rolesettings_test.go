package database_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestSettingsOfSingleStatements: behind a transaction pooler a statement without a transaction has the limit
// and the costs of Core's sessions once they are its user's, which may be an ordinary one.
func TestSettingsOfSingleStatements(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	user := "ordinary_" + db.Settings.Name
	db.Exec(t, `CREATE ROLE `+user+` LOGIN PASSWORD 'secret'`)
	defer db.Exec(t, `DROP ROLE `+user)
	opened := pooledAs(t, db, user, "secret")
	const settings = `SELECT concat_ws(' ', current_setting('statement_timeout'),
		current_setting('seq_page_cost'), current_setting('random_page_cost'),
		current_setting('idle_in_transaction_session_timeout'))`
	for _, want := range []struct {
		stored bool
		has    string
	}{{false, "0 1 4 0"}, {true, "29s 0.1 0.1 0"}} {
		if stored, err := opened.StoredSettings(t.Context()); stored != want.stored || err != nil {
			t.Errorf("stored: %v, %v; want %v", stored, err, want.stored)
		}
		var has string
		fresh := pooledAs(t, db, user, "secret") // its pooler has no session yet
		if err := fresh.Pool().QueryRow(t.Context(), settings).Scan(&has); err != nil || has != want.has {
			t.Errorf("a statement has %s, %v; want %s", has, err, want.has)
		}
		for range 2 { // the second time there is nothing to do
			if err := opened.StoreSettings(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

package migrations

import "github.com/jackc/pgx/v5"

// QuickCheck is Check for a caller who runs its statements together with others, in one round trip. It only
// reports whether the database matches. If not, the caller uses Check, which returns the reason.
type QuickCheck struct {
	modules  []Line
	read     map[string][]entry
	provided []string
}

// NewQuickCheck makes a check of Core and the modules.
func NewQuickCheck(modules []Line) *QuickCheck { return &QuickCheck{modules: modules} }

const selectLedgerUnlessRestoring = selectLedger + `
WHERE to_regnamespace('` + restoreSchema + `') IS NULL` + inOrder

// Ledger returns the statement that reads the ledger, and the function that takes its rows. It has no rows
// during a restore, and after one that was killed.
func (c *QuickCheck) Ledger() (sql string, take func(pgx.Rows) error) {
	return selectLedgerUnlessRestoring, func(rows pgx.Rows) (err error) {
		c.read, err = collectHistories(rows)
		return err
	}
}

// Roles returns the statement that reads which modules have a role, and the function that takes its rows.
// Without modules it need not run.
func (c *QuickCheck) Roles() (sql string, take func(pgx.Rows) error) {
	return selectProvisioned, func(rows pgx.Rows) (err error) {
		c.provided, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}
}

// Passed reports, after the rows of the statements were taken, whether the database matches this
// installation.
func (c *QuickCheck) Passed() bool {
	core, err := Core()
	if err != nil || validate(c.modules) != nil {
		return false
	}
	return verifyAll(append([]Line{core}, c.modules...), c.read) == nil &&
		verifyRoles(c.modules, c.provided) == nil
}

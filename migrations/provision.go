package migrations

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// provision creates each module's role and schema. It tries all modules before it returns ErrRoleUnavailable,
// so that an administrator gets one list.
func (m *migrator) provision(ctx context.Context) error {
	if err := m.openHome(ctx); err != nil {
		return err
	}
	refused := &RoleUnavailable{}
	for _, line := range m.options.Modules {
		found, statements, err := m.provisionModule(ctx, line.ID)
		switch {
		case errors.Is(err, ErrRoleUnavailable):
			refused.Modules = append(refused.Modules, line.ID)
			refused.statements = append(refused.statements, statements...)
		case err != nil:
			return coded(line.ID, err)
		}
		m.roles = append(m.roles, found)
	}
	if len(refused.Modules) > 0 {
		return refused
	}
	return nil
}

// provisionModule creates what a module lacks. With ErrRoleUnavailable it returns the statements that would
// create it. It records the role's name and password in any case, so that the next run finds what the
// administrator has created.
func (m *migrator) provisionModule(ctx context.Context, id string) (r role, statements []string, err error) {
	refused, elsewhere := false, false
	err = locked(ctx, m.conn, func(tx pgx.Tx) error {
		var state databaseState
		if r, state, err = m.decide(ctx, tx, id); err != nil {
			return err
		}
		if r.name == "" {
			return provisionShared(ctx, tx, r, state)
		}
		if state.SchemaOwner != "" && state.SchemaOwner != r.name || state.SuperuserRole {
			return at(ErrFailed, id+", its schema or its role is not as it was made")
		}
		made, err := m.prepareRole(ctx, tx, r, &state)
		if err != nil {
			return err
		}
		// a session learns of roles that another one made only with its next transaction
		if elsewhere = made && m.home != nil; elsewhere {
			return nil
		}
		if statements, err = r.statements(state); err != nil || len(statements) == 0 {
			return err
		}
		if refused = state.needsPower() && !state.MayCreate; refused {
			return nil
		}
		// A nested transaction: when the server refuses a statement, the recorded role must stay.
		err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return execAll(ctx, tx, statements) })
		if sqlState(err) == "42501" { // insufficient_privilege
			refused = true
			return nil
		}
		return err
	})
	if err == nil && elsewhere {
		return m.provisionModule(ctx, id)
	}
	if err == nil && refused {
		err = ErrRoleUnavailable
	}
	return r, statements, err
}

// prepareRole makes the role by the administrator's functions, if they are there and something is missing. It
// reads the state again if the session made the role itself.
func (m *migrator) prepareRole(
	ctx context.Context, tx pgx.Tx, r role, s *databaseState,
) (made bool, err error) {
	if s.RoleExists && s.Member && !r.changed(*s) {
		return false, nil
	}
	if made, err = m.makeByFunction(ctx, tx, r, s.RoleExists); err != nil || !made {
		return false, err
	}
	if m.home == nil {
		*s, err = r.look(ctx, tx)
	}
	return true, err
}

// needsPower reports whether a role or a schema must be created. The other statements only restrict rights,
// which the owner of the database may always do.
func (s databaseState) needsPower() bool { return !s.RoleExists || !s.Member && s.SchemaOwner == "" }

// decide reads the module's role, or chooses and records a new one.
func (m *migrator) decide(ctx context.Context, tx pgx.Tx, id string) (role, databaseState, error) {
	r, exists, err := readRole(ctx, tx, id)
	if err != nil {
		return r, databaseState{}, err
	}
	if exists && r.name == "" && !m.options.SharedRole {
		// The module's tables belong to Core's user. Only an administrator may decide to change their owner.
		return r, databaseState{}, ErrRoleUnavailable
	}
	if !exists {
		r = newRole(m.options.RolePrefix, id)
	}
	state, err := r.look(ctx, tx)
	if err != nil {
		return r, state, err
	}
	if m.options.SharedRole && !state.MayCreate && !m.prepared && !state.RoleExists {
		r.name, r.password = "", ""
	}
	return r, state, r.write(ctx, tx)
}

// provisionShared creates the schema of a module that uses Core's user.
func provisionShared(ctx context.Context, tx pgx.Tx, r role, state databaseState) error {
	if state.SchemaOwner != "" {
		return nil
	}
	_, err := tx.Exec(ctx, "CREATE SCHEMA "+quote(r.schema))
	return err
}

func execAll(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// login opens a session as the module's role, which shows that the role works. When the role has changed
// its own password, login sets the recorded one again.
func (m *migrator) login(ctx context.Context, r role) (*pgx.Conn, error) {
	config := r.connect(m.options.Connect.Copy())
	conn, err := pgx.ConnectConfig(ctx, config)
	if err == nil || r.name == "" || !passwordRefused(err) {
		return conn, err
	}
	statement, err := r.newPassword()
	if err != nil {
		return nil, err
	}
	err = locked(ctx, m.conn, func(tx pgx.Tx) error {
		if done, err := m.makeByFunction(ctx, tx, r, true); err != nil || done {
			return err
		}
		return execAll(ctx, tx, []string{statement})
	})
	if sqlState(err) == "42501" {
		return nil, &RoleUnavailable{Modules: []string{r.moduleID}, statements: []string{statement}}
	}
	if err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, config)
}

package migrations

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// provision gives each module its role and schema. It looks at all modules before it refuses, so that an administrator gets one list.
func (m *migrator) provision(ctx context.Context) error {
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

// provisionModule makes what is missing for one module. With ErrRoleUnavailable come the statements that would make it; the role's
// name and password are recorded all the same, so that the next run finds what the administrator has made.
func (m *migrator) provisionModule(ctx context.Context, id string) (r role, statements []string, err error) {
	refused := false
	err = locked(ctx, m.conn, func(tx pgx.Tx) error {
		var around surroundings
		if r, around, err = m.decide(ctx, tx, id); err != nil {
			return err
		}
		if r.name == "" {
			return provisionShared(ctx, tx, r, around)
		}
		if around.SchemaOwner != "" && around.SchemaOwner != r.name || around.SuperuserRole {
			return at(ErrFailed, id+", its schema or its role is not as it was made")
		}
		if statements, err = r.statements(around); err != nil || len(statements) == 0 {
			return err
		}
		if refused = around.needsPower() && !around.MayCreate; refused {
			return nil
		}
		// A nested transaction: what the server refuses must not take the recorded role with it.
		err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { return execAll(ctx, tx, statements) })
		if sqlState(err) == "42501" { // insufficient_privilege
			refused = true
			return nil
		}
		return err
	})
	if err == nil && refused {
		err = ErrRoleUnavailable
	}
	return r, statements, err
}

// needsPower tells whether a role or a schema is missing; the rest is hardening that an owner of the database may always do.
func (s surroundings) needsPower() bool { return !s.RoleExists || !s.Member && s.SchemaOwner == "" }

// decide reads or records how the module reaches its schema.
func (m *migrator) decide(ctx context.Context, tx pgx.Tx, id string) (role, surroundings, error) {
	r, exists, err := readRole(ctx, tx, id)
	if err != nil {
		return r, surroundings{}, err
	}
	if exists && r.name == "" && !m.options.SharedRole {
		// Its tables belong to Core's user. Giving them away is an administrator's decision.
		return r, surroundings{}, ErrRoleUnavailable
	}
	if !exists {
		r = newRole(id)
	}
	around, err := r.look(ctx, tx)
	if err != nil {
		return r, around, err
	}
	if m.options.SharedRole && !around.MayCreate && !around.RoleExists {
		r.name, r.password = "", ""
	}
	return r, around, r.write(ctx, tx)
}

// provisionShared makes the schema of a module that works as Core's user.
func provisionShared(ctx context.Context, tx pgx.Tx, r role, around surroundings) error {
	if around.SchemaOwner != "" {
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

// login opens a session as the module's role: the proof that it works. A role may have changed its own password; then the recorded
// one is set again.
func (m *migrator) login(ctx context.Context, r role) (*pgx.Conn, error) {
	config := r.connect(m.config(r.schema))
	conn, err := pgx.ConnectConfig(ctx, config)
	if err == nil || r.name == "" || !passwordRefused(err) {
		return conn, err
	}
	statement, err := r.newPassword()
	if err != nil {
		return nil, err
	}
	err = locked(ctx, m.conn, func(tx pgx.Tx) error { return execAll(ctx, tx, []string{statement}) })
	if sqlState(err) == "42501" {
		return nil, &RoleUnavailable{Modules: []string{r.moduleID}, statements: []string{statement}}
	}
	if err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, config)
}

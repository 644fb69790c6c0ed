package doctor

import (
	"context"

	"github.com/narthex-platform/narthex/services/database"
)

// rights warns if whoever takes over the platform's process has the whole database server.
func (e *Examination) rights(ctx context.Context, db *database.Database) {
	rights, err := db.Rights(ctx)
	switch {
	case err != nil:
		e.blockAll(err)
	case rights.Superuser && e.Settings.Production:
		e.warn("DATABASE_ROLE_TOO_POWERFUL", "The database user "+rights.User+" is an administrator of the "+
			"database server, with all its databases, programs and files; "+remedy(e.Settings.Database.Name,
			`"`+rights.User+`" NOSUPERUSER NOCREATEROLE`))
	case rights.Superuser: // as in development
	case rights.Administers:
		e.warn("DATABASE_ROLE_TOO_POWERFUL", "The database user "+rights.User+" may create roles, which before "+
			"PostgreSQL 16 is enough to become an administrator of the server, with all its databases, programs and "+
			"files; "+remedy(e.Settings.Database.Name, `"`+rights.User+`" NOCREATEROLE`))
	default:
		e.ok("Database user: it has no power over other users.")
	}
}

func remedy(database, change string) string {
	return "let an administrator of the database run: psql --no-psqlrc --dbname " + database +
		" --file /usr/share/narthex/roles.sql, and then: ALTER ROLE " + change + ";"
}

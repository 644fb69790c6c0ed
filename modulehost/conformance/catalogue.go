package conformance

import (
	"context"
	"slices"
)

// catalogue is the content of a database: for each object, by kind and name, the properties to compare.
type catalogue map[string]string

// everything lists the objects of all schemas but $1, without temporary objects and those of the server
// itself; the settings of the module's role; large objects, which belong to no schema; and the number of rows
// of each platform table. The rows of the ledger change only with migrations.
const everything = `
	WITH own AS (SELECT oid, nspname FROM pg_namespace WHERE nspname <> $1
	                 AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname !~ '^pg_(toast|temp)'),
	     it AS (SELECT oid, rolname FROM pg_roles
	            WHERE rolname IN (SELECT role_name FROM core.module_database_role))
	SELECT 'schema ' || nspname, nspowner::text || coalesce(nspacl::text, '')
	FROM pg_namespace JOIN own USING (oid, nspname)
	UNION ALL
	SELECT 'relation ' || nspname || '.' || relname,
	       relkind::text || relowner::text || relnatts::text || coalesce(relacl::text, '') || relfilenode::text
	FROM pg_class JOIN own ON own.oid = relnamespace
	UNION ALL
	SELECT 'function ' || nspname || '.' || proname || ' ' || pg_proc.oid,
	       md5(prosrc) || coalesce(proacl::text, '')
	FROM pg_proc JOIN own ON own.oid = pronamespace
	UNION ALL
	SELECT 'type ' || nspname || '.' || typname, typowner::text FROM pg_type JOIN own ON own.oid = typnamespace
	UNION ALL
	SELECT 'trigger ' || tgname || ' on ' || relname, tgfoid::text
	FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN own ON own.oid = relnamespace
	UNION ALL
	SELECT 'setting of the role', coalesce((
	    SELECT string_agg(setdatabase::text || setconfig::text, ' ' ORDER BY 1)
	    FROM pg_db_role_setting JOIN it ON it.oid = setrole), '')
	UNION ALL
	SELECT 'attributes of the role', rolcanlogin::text || rolinherit::text || rolconnlimit::text ||
	       coalesce(rolvaliduntil::text, '') FROM pg_roles JOIN it USING (oid, rolname)
	UNION ALL
	SELECT 'memberships of the role', coalesce(string_agg(roleid::text || member::text, ' ' ORDER BY 1), '')
	FROM pg_auth_members WHERE EXISTS (SELECT FROM it WHERE it.oid IN (roleid, member))
	UNION ALL
	SELECT 'default privileges', coalesce(string_agg(defaclacl::text, ' ' ORDER BY pg_default_acl.oid), '')
	FROM pg_default_acl
	UNION ALL
	SELECT 'large objects', count(*)::text FROM pg_largeobject_metadata
	UNION ALL
	SELECT 'extension ' || extname, extversion FROM pg_extension
	UNION ALL
	SELECT 'rows of core.' || relname, (xpath('/row/n/text()', query_to_xml(
	    format('SELECT count(*) AS n FROM core.%I', relname), true, true, '')))[1]::text
	FROM pg_class
	WHERE relnamespace = to_regnamespace('core') AND relkind = 'r' AND ($1 = '' OR relname <> 'migration')`

// read reads the catalogue without one schema; "" omits none.
func (s *scratch) read(ctx context.Context, without string) (catalogue, error) {
	rows, err := s.opened.Pool().Query(ctx, everything, without)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	read := make(catalogue)
	for rows.Next() {
		var name, state string
		if err := rows.Scan(&name, &state); err != nil {
			return nil, err
		}
		read[name] = state
	}
	return read, rows.Err()
}

// mostChanges is how many differences one sentence lists.
const mostChanges = 5

// differences returns the added, changed and removed objects, by kind and name.
func (c catalogue) differences(after catalogue) (changes []string) {
	for name, state := range after {
		switch before, existed := c[name]; {
		case !existed:
			changes = append(changes, name+" appeared")
		case before != state:
			changes = append(changes, name+" changed")
		}
	}
	for name := range c {
		if _, exists := after[name]; !exists {
			changes = append(changes, name+" is gone")
		}
	}
	slices.Sort(changes)
	return changes[:min(len(changes), mostChanges)]
}

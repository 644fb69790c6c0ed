-- Functions with which the platform makes the database users of its modules, so that its own user needs no
-- CREATEROLE: before PostgreSQL 16 that right is enough to become the server's administrator.
--
-- An administrator (a superuser) runs this file in the database of the platform, also again after an upgrade:
--     psql --no-psqlrc --dbname narthex --file /usr/share/narthex/roles.sql
-- The owner of the database may use the functions, or the user of whom "SET narthex.platform = 'user';" tells
-- before. They act on no users but those that they made, and those of modules that are here already.

BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL client_min_messages = warning;

DO $$
BEGIN
	IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
		RAISE EXCEPTION 'only a superuser can prepare the database';
	END IF;
	IF EXISTS (
		SELECT FROM pg_namespace JOIN pg_roles ON pg_roles.oid = nspowner
		WHERE nspname = 'narthex_roles' AND NOT rolsuper
	) THEN
		RAISE EXCEPTION 'the schema narthex_roles belongs to somebody else; see what it is, and drop it';
	END IF;
END $$;

CREATE SCHEMA IF NOT EXISTS narthex_roles;
REVOKE ALL ON SCHEMA narthex_roles FROM PUBLIC;
CREATE TABLE IF NOT EXISTS narthex_roles.platform (role oid PRIMARY KEY);
CREATE TABLE IF NOT EXISTS narthex_roles.made (role oid PRIMARY KEY);

DO $$
DECLARE
	named text := nullif(current_setting('narthex.platform', true), '');
	owner name := pg_get_userbyid((SELECT datdba FROM pg_database WHERE datname = current_database()));
	platform pg_roles;
BEGIN
	SELECT * INTO platform FROM pg_roles WHERE rolname = coalesce(named, owner);
	IF platform.oid IS NULL OR platform.rolsuper AND named IS NULL THEN
		RAISE EXCEPTION 'name the user of the platform before this file: SET narthex.platform = ''user'';';
	END IF;
	DELETE FROM narthex_roles.platform;
	INSERT INTO narthex_roles.platform VALUES (platform.oid);
	EXECUTE format('GRANT USAGE ON SCHEMA narthex_roles TO %I', platform.rolname);
	EXECUTE format('GRANT SELECT ON narthex_roles.made TO %I', platform.rolname);
END $$;

-- Those of modules that were made before: they own the module's schema, and have nothing elsewhere.
INSERT INTO narthex_roles.made
SELECT DISTINCT r.oid
FROM pg_roles AS r
JOIN pg_namespace AS n ON n.nspowner = r.oid AND n.nspname ~ '^module_[a-z0-9_]+$'
WHERE r.rolname ~ '^module_[a-z0-9_]+_[a-z2-7]{12}$'
	AND NOT (r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls)
	AND NOT EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid)
	AND NOT EXISTS (
		SELECT FROM pg_shdepend AS d
		JOIN pg_database AS here ON here.datname = current_database()
		WHERE d.refclassid = 'pg_authid'::regclass AND d.refobjid = r.oid
			AND d.dbid <> here.oid AND NOT (d.dbid = 0 AND d.objid = here.oid))
ON CONFLICT DO NOTHING;

-- made_here returns whether a user is one on which the functions act.
CREATE OR REPLACE FUNCTION narthex_roles.made_here(role_name text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $$
	SELECT EXISTS (
		SELECT FROM narthex_roles.made JOIN pg_roles ON pg_roles.oid = made.role
		WHERE pg_roles.rolname = role_name)
$$;

-- make makes a module's user, or sets password and settings of one again. The password is a SCRAM verifier.
CREATE OR REPLACE FUNCTION narthex_roles.make(role_name text, schema_name text, verifier text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	platform oid := (SELECT role FROM narthex_roles.platform);
	other name;
BEGIN
	IF role_name !~ '^(scratch_[a-z2-7]{12}_)?module_[a-z0-9_]+_[a-z2-7]{12}$' OR length(role_name) > 63
		OR schema_name !~ '^module_[a-z0-9_]+$' OR length(schema_name) > 63
		OR verifier !~ '^SCRAM-SHA-256\$[0-9]{4,6}:[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}:[A-Za-z0-9+/=]{44}$'
	THEN
		RAISE EXCEPTION 'not a user of a module' USING ERRCODE = 'insufficient_privilege';
	END IF;
	IF narthex_roles.made_here(role_name) THEN
		EXECUTE format('ALTER ROLE %I PASSWORD %L', role_name, verifier);
		EXECUTE format('ALTER ROLE %I RESET ALL', role_name);
		FOR other IN
			SELECT d.datname
			FROM pg_db_role_setting AS s
			JOIN pg_database AS d ON d.oid = s.setdatabase
			JOIN pg_roles AS r ON r.oid = s.setrole
			WHERE r.rolname = role_name
		LOOP
			EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET ALL', role_name, other);
		END LOOP;
	ELSE
		IF (SELECT count(*) FROM narthex_roles.made JOIN pg_roles ON pg_roles.oid = made.role) >= 1000 THEN
			RAISE EXCEPTION 'too many users' USING ERRCODE = 'insufficient_privilege';
		END IF;
		EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION '
			|| 'NOBYPASSRLS PASSWORD %L', role_name, verifier); -- fails for one that exists
		INSERT INTO narthex_roles.made SELECT oid FROM pg_roles WHERE rolname = role_name ON CONFLICT DO NOTHING;
	END IF;
	EXECUTE format('ALTER ROLE %I SET search_path = %L', role_name, schema_name);
	EXECUTE format('ALTER ROLE %I SET statement_timeout = %L', role_name, '30s');
	EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', role_name, '60s');
	EXECUTE format('GRANT %I TO %I', role_name, pg_get_userbyid(platform));
END $$;

-- remove drops a module's user, who owns nothing any more.
CREATE OR REPLACE FUNCTION narthex_roles.remove(role_name text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF NOT narthex_roles.made_here(role_name) THEN
		RAISE EXCEPTION 'not a user of a module' USING ERRCODE = 'insufficient_privilege';
	END IF;
	DELETE FROM narthex_roles.made WHERE role = (SELECT oid FROM pg_roles WHERE rolname = role_name);
	EXECUTE format('REVOKE ALL ON DATABASE %I FROM %I', current_database(), role_name);
	EXECUTE format('DROP ROLE %I', role_name);
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA narthex_roles FROM PUBLIC;
DO $$
BEGIN
	EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA narthex_roles TO %I',
		pg_get_userbyid((SELECT role FROM narthex_roles.platform)));
END $$;
COMMIT;

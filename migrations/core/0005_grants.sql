-- Issuing, revoking and listing grants, and who did the first two.

-- What a person holds, and which unrevoked grants are equivalent to a given one.
CREATE INDEX permission_grant_unrevoked ON core.permission_grant (person_id, permission_id) WHERE revoked_at IS NULL;
DROP INDEX core.permission_grant_person;

-- One for each combination of the listing's filters: a page is the beginning of one index scan, however long the history.
CREATE INDEX permission_grant_list ON core.permission_grant (created_at DESC, id DESC)
    WHERE source_kind = 'explicit';
CREATE INDEX permission_grant_list_person ON core.permission_grant (person_id, created_at DESC, id DESC)
    WHERE source_kind = 'explicit';
CREATE INDEX permission_grant_list_permission ON core.permission_grant (permission_id, created_at DESC, id DESC)
    WHERE source_kind = 'explicit';
CREATE INDEX permission_grant_list_both ON core.permission_grant (person_id, permission_id, created_at DESC, id DESC)
    WHERE source_kind = 'explicit';

-- A grant is issued once and revoked at most once, so it has at most one row of each.
CREATE TABLE core.permission_grant_audit (
    id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    grant_id uuid        NOT NULL REFERENCES core.permission_grant (id),
    actor_id uuid        REFERENCES core.person (id), -- NULL: no person did it
    action   text        NOT NULL CHECK (action IN ('issued', 'revoked')),
    at       timestamptz NOT NULL,
    CONSTRAINT permission_grant_audit_once UNIQUE (grant_id, action)
);

CREATE FUNCTION core.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    RAISE EXCEPTION 'core.% is append-only', TG_TABLE_NAME;
END
$$;

-- For each statement, not for each row: a statement that meets no row is refused as well, and TRUNCATE knows no rows.
CREATE TRIGGER permission_grant_audit_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON core.permission_grant_audit
    FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_audit_change();

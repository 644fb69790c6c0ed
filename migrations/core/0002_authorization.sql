-- Explicit grants (spec.md § Explicit grant). What makes two grants equivalent is person, permission, scope and source.

CREATE TABLE core.permission_grant (
    id               uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    person_id        uuid        NOT NULL REFERENCES core.person (id),
    permission_id    text        NOT NULL,
    scope            text,
    source_kind      text        NOT NULL DEFAULT 'explicit',
    source_reference text,
    expires_at       timestamptz,
    revoked_at       timestamptz,
    created_at       timestamptz NOT NULL DEFAULT now(),
    created_by       uuid        REFERENCES core.person (id)
);
CREATE INDEX permission_grant_person ON core.permission_grant (person_id) WHERE revoked_at IS NULL;

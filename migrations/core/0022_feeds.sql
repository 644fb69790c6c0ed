-- Addresses at which programs fetch what a person may see. Of the secret in an address only the SHA-256 is kept.

CREATE TABLE core.feed (
    id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    person_id    uuid        NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    secret_hash  bytea       NOT NULL,
    module_id    text        NOT NULL,
    path         text        NOT NULL, -- relative to the module's routes
    query        text        NOT NULL, -- fixed when it was made; '' : none
    label        text        NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz, -- since the address was made or renewed
    revoked_at   timestamptz,
    CONSTRAINT feed_secret UNIQUE (secret_hash)
);
CREATE INDEX feed_person ON core.feed (person_id, created_at DESC);

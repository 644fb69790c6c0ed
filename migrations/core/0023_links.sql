-- Links: people without an account, and programs, who may use one permission of one module (services/links).

CREATE TABLE core.link (
    id            uuid        PRIMARY KEY,
    module_id     text        NOT NULL,
    permission_id text        NOT NULL,
    subject       text        NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 128), -- the module's own
    secret_hash   bytea       NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
    cookie_hash   bytea       NOT NULL UNIQUE CHECK (octet_length(cookie_hash) = 32),
    created_at    timestamptz NOT NULL DEFAULT now(),
    ends_at       timestamptz,                                                          -- NULL: no end
    revoked_at    timestamptz,
    last_used_at  timestamptz                                                           -- to about a minute
);

CREATE INDEX link_subject ON core.link (module_id, subject) WHERE revoked_at IS NULL;
CREATE INDEX link_ended ON core.link (least(ends_at, revoked_at));

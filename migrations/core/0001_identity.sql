-- People, their sessions and the one owner. Core's tables live in schema core, which the migrator makes.

CREATE TABLE core.person (
    id             uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    email          text        NOT NULL,
    name           text        NOT NULL,
    email_verified boolean     NOT NULL DEFAULT false,
    password_hash  text,       -- argon2id as a PHC string; NULL: the person has no credential
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT person_email_unique UNIQUE (email),
    CONSTRAINT person_email_lower CHECK (email = lower(email))
);

-- A session is known by the SHA-256 of its token; the token itself is only in the person's browser.
CREATE TABLE core.session (
    token_hash  bytea       PRIMARY KEY,
    person_id   uuid        NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    persistent  boolean     NOT NULL, -- false: signed in without "remember me", never extended
    created_at  timestamptz NOT NULL DEFAULT now(),
    extended_at timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX session_person ON core.session (person_id);
CREATE INDEX session_expiry ON core.session (expires_at);

-- At most one row, by its key: two commands that race cannot both make an owner.
CREATE TABLE core.platform_owner (
    singleton  boolean     PRIMARY KEY DEFAULT true CHECK (singleton),
    person_id  uuid        NOT NULL REFERENCES core.person (id),
    granted_at timestamptz NOT NULL DEFAULT now()
);

-- Links that people are mailed. Only the SHA-256 of a link's token is kept.

-- One reset link a person: issuing the next one replaces it, so that no older link works.
CREATE TABLE core.password_reset (
    person_id  uuid        PRIMARY KEY REFERENCES core.person (id) ON DELETE CASCADE,
    token_hash bytea       NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT password_reset_token UNIQUE (token_hash)
);
CREATE INDEX password_reset_expiry ON core.password_reset (expires_at);

-- A verification link works as often as it is followed while it lives, and an older one beside a newer one.
CREATE TABLE core.email_verification (
    token_hash bytea       PRIMARY KEY,
    person_id  uuid        NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX email_verification_person ON core.email_verification (person_id);
CREATE INDEX email_verification_expiry ON core.email_verification (expires_at);

-- People are listed by name and found by the beginning of a name or address. "C" compares bytes, which is what a prefix needs.
CREATE INDEX person_name_prefix ON core.person (lower(name) COLLATE "C", id);
CREATE INDEX person_email_prefix ON core.person (email COLLATE "C");

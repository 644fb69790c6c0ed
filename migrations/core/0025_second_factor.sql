-- The second factor: passkeys and recovery codes of people, and sign-ins that wait for one of them.

ALTER TABLE core.person
    ADD COLUMN has_passkey boolean NOT NULL DEFAULT false; -- changes with the rows below, under the person's lock

CREATE TABLE core.passkey (
    id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    person_id       uuid        NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    credential_id   bytea       NOT NULL,
    public_key      bytea       NOT NULL, -- COSE
    transports      text[]      NOT NULL,
    backup_eligible boolean     NOT NULL, -- whether it may exist on several devices
    sign_count      bigint      NOT NULL, -- of the last use; 0: it does not count
    label           text        NOT NULL CONSTRAINT passkey_label CHECK (char_length(label) BETWEEN 1 AND 80),
    created_at      timestamptz NOT NULL DEFAULT now(),
    last_used_at    timestamptz,
    CONSTRAINT passkey_credential UNIQUE (credential_id)
);
CREATE INDEX passkey_person ON core.passkey (person_id);

-- Of a code only the SHA-256 is kept, until it is used.
CREATE TABLE core.recovery_code (
    person_id uuid  NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    code_hash bytea NOT NULL,
    PRIMARY KEY (person_id, code_hash)
);

-- A sign-in after the right password. The session begins with the second factor.
CREATE TABLE core.pending_sign_in (
    token_hash  bytea       PRIMARY KEY,
    person_id   uuid        NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    persistent  boolean     NOT NULL, -- as of the session
    description text        NOT NULL, -- as of the session
    challenge   bytea,                -- of the passkey; NULL: not asked for, or used
    tries       integer     NOT NULL DEFAULT 0,
    expires_at  timestamptz NOT NULL
);
CREATE INDEX pending_sign_in_person ON core.pending_sign_in (person_id);
CREATE INDEX pending_sign_in_expires ON core.pending_sign_in (expires_at);

-- What was refused lately, so that it can be counted by person.
CREATE TABLE core.second_factor_failure (
    id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id uuid        NOT NULL REFERENCES core.person (id) ON DELETE CASCADE,
    at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX second_factor_failure_person ON core.second_factor_failure (person_id, at);

ALTER TABLE core.session
    ADD COLUMN challenge bytea, -- of a passkey that the session adds; NULL: not asked for, or used
    ADD COLUMN challenge_expires_at timestamptz;

ALTER TABLE core.house
    ADD COLUMN second_factor text NOT NULL DEFAULT 'optional'
        CONSTRAINT house_second_factor CHECK (second_factor IN ('optional', 'administrators'));

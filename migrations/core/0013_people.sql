-- How people come and go: invitations, and who was deactivated.

-- A deactivated person keeps name and grants, and can do nothing until somebody reactivates them. An erased person is one for
-- ever: the address is NULL, the name is empty, and the id stays for the history.
ALTER TABLE core.person
    ALTER COLUMN email DROP NOT NULL,
    ADD COLUMN deactivated_at timestamptz,
    ADD COLUMN erased_at timestamptz,
    ADD CONSTRAINT person_erased CHECK (
        erased_at IS NULL
        OR (deactivated_at IS NOT NULL AND email IS NULL AND name = '' AND password_hash IS NULL)
    );

-- An invitation is known by the SHA-256 of its token; the token itself is only in the link. Address and name go a month after it
-- has ended.
CREATE TABLE core.invitation (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    email      text        CHECK (email = lower(email)),
    name       text,
    state      text        NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'withdrawn', 'expired')),
    token_hash bytea,
    grants     text        NOT NULL, -- JSON: permission and end of each, as the invitation shows them
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by uuid        REFERENCES core.person (id), -- NULL: an operator
    expires_at timestamptz NOT NULL, -- state stays open for some minutes after it
    ended_at   timestamptz, -- when it was accepted or withdrawn
    delivery   text,        -- what became of the mail; NULL: none was to be sent
    CONSTRAINT invitation_token UNIQUE (token_hash)
);

-- One that can still be accepted or sent again for each address.
CREATE UNIQUE INDEX invitation_of_address ON core.invitation (email) WHERE state IN ('open', 'expired');
CREATE INDEX invitation_list ON core.invitation (created_at DESC, id DESC);
CREATE INDEX invitation_list_state ON core.invitation (state, created_at DESC, id DESC);
CREATE INDEX invitation_open_of_inviter ON core.invitation (created_by) WHERE state = 'open';
CREATE INDEX invitation_expiry ON core.invitation (expires_at) WHERE state = 'open';
CREATE INDEX invitation_forgotten ON core.invitation ((coalesce(ended_at, expires_at)))
    WHERE state <> 'open' AND email IS NOT NULL;

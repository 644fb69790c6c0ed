-- Screens: the requests to be paired, and the devices that came of them. Of claim secrets and credentials only the SHA-256 is kept.

CREATE TABLE core.device (
    id                uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    label             text        NOT NULL,
    module_id         text        NOT NULL,
    credential_hash   bytea,      -- NULL until the screen has claimed it
    credential_set_at timestamptz, -- when the screen's cookie was last set
    claimable_until   timestamptz, -- approved and not claimed yet: from then on the device is no more; NULL: it stays
    created_at        timestamptz NOT NULL DEFAULT now(),
    created_by        uuid        REFERENCES core.person (id) ON DELETE SET NULL,
    last_seen_at      timestamptz,
    revoked_at        timestamptz,
    CONSTRAINT device_credential UNIQUE (credential_hash)
);

-- What a device may do. People's grants are elsewhere: a device has no owner path and no baseline.
CREATE TABLE core.device_permission (
    device_id     uuid NOT NULL REFERENCES core.device (id) ON DELETE CASCADE,
    permission_id text NOT NULL,
    PRIMARY KEY (device_id, permission_id)
);

-- A code belongs to its pairing until that expires, decided or not; then the next pairing may replace it. No index can say "not
-- expired", so whoever wants a code first deletes the expired pairing that has it.
CREATE TABLE core.device_pairing (
    code        text        PRIMARY KEY,
    claim_hash  bytea,      -- NULL: claimed
    client_key  bytea       NOT NULL, -- tells clients apart without their addresses
    module_id   text        NOT NULL,
    description text        NOT NULL,
    state       text        NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected', 'claimed')),
    device_id   uuid        REFERENCES core.device (id) ON DELETE SET NULL, -- since it was approved
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    CONSTRAINT device_pairing_claim UNIQUE (claim_hash),
    CONSTRAINT device_pairing_device UNIQUE (device_id)
);
CREATE INDEX device_pairing_expiry ON core.device_pairing (expires_at);

-- Its one row is locked by whoever makes a pairing: counting the open ones and adding one is then a single step.
CREATE TABLE core.device_pairing_gate (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);
INSERT INTO core.device_pairing_gate (singleton)
VALUES (true);

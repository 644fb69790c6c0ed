-- A pairing that its browser has not asked for lately makes room for others. And who guesses codes is stopped.

ALTER TABLE core.device_pairing ADD COLUMN polled_at timestamptz NOT NULL DEFAULT now(); -- to about 15 s

-- When a person has named codes that no open pairing has: the last twenty times, the oldest first.
CREATE TABLE core.pairing_misses (
    person_id uuid          PRIMARY KEY REFERENCES core.person (id) ON DELETE CASCADE,
    missed_at timestamptz[] NOT NULL
);

-- An address is invited again only a few times a day.

ALTER TABLE core.invitation ADD COLUMN sent_at timestamptz[] NOT NULL DEFAULT '{}'; -- the emails of the last day

CREATE INDEX invitation_address ON core.invitation (email) WHERE email IS NOT NULL;

-- A person can have several reset links: a stranger who asks for one more must not end the one that its owner waits for.

ALTER TABLE core.password_reset
    DROP CONSTRAINT password_reset_pkey,
    DROP CONSTRAINT password_reset_token,
    ADD PRIMARY KEY (token_hash);
CREATE INDEX password_reset_person ON core.password_reset (person_id);

-- Whose link it is, if a module says so: it does not work while that person is deactivated. NULL: of somebody without an account.

ALTER TABLE core.link ADD COLUMN person_id uuid REFERENCES core.person (id) ON DELETE CASCADE;

CREATE INDEX link_person ON core.link (person_id) WHERE person_id IS NOT NULL;

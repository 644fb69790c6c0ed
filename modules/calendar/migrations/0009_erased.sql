-- The sign-ups of people who were erased, so that an archive from before does not bring them back with an event that is gone.
-- Event and moment say which one it was, and nothing about the person.
CREATE TABLE erased_signups (
    event_id  uuid        NOT NULL,
    at        timestamptz NOT NULL,
    erased_on date        NOT NULL,
    PRIMARY KEY (event_id, at)
);

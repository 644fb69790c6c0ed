-- An event that takes sign-ups: how many places it has (0: as many as come), until when on the house's clock (NULL: until it
-- begins), whether those wait for whom there is no place, and what is asked. Whoever signs up locks its row.
CREATE TABLE sheets (
    event_id  uuid    PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    places    integer NOT NULL CHECK (places >= 0),
    closes    timestamp,
    queue     boolean NOT NULL,
    questions jsonb   NOT NULL,
    rev       bigint  NOT NULL DEFAULT 1
);

-- Who has signed up, in the order of number. mail says what they still have to hear by mail ('': nothing), after mail_at, and
-- heard how the last mail went. user_id is there only of those who were signed in.
CREATE TABLE participants (
    id         uuid        PRIMARY KEY,
    event_id   uuid        NOT NULL REFERENCES sheets (event_id) ON DELETE CASCADE,
    number     bigint      GENERATED ALWAYS AS IDENTITY,
    user_id    text,
    name       text        NOT NULL,
    email      text        NOT NULL,
    language   text        NOT NULL,
    answers    jsonb       NOT NULL,
    waits      boolean     NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    mail       text        NOT NULL DEFAULT '' CHECK (mail IN ('', 'new', 'up')),
    mail_at    timestamptz NOT NULL DEFAULT now(),
    mail_tries integer     NOT NULL DEFAULT 0,
    heard      text        NOT NULL DEFAULT ''
);
CREATE INDEX participants_by_event ON participants (event_id, number);
CREATE INDEX participants_to_tell ON participants (mail_at) WHERE mail <> '';
CREATE UNIQUE INDEX participants_once ON participants (event_id, lower(email), lower(name));
CREATE UNIQUE INDEX participants_person ON participants (event_id, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX participants_by_person ON participants (user_id) WHERE user_id IS NOT NULL;

-- The number of the latest change, which every reader of the channel sees.
CREATE TABLE board (rev bigint NOT NULL);
INSERT INTO board VALUES (0);

-- A list of steps, and when it has to be done: minutes before the day's first event ("open"), after its last
-- one ("close"), before each event ("event"), or whenever somebody starts it ("hand").
CREATE TABLE lists (
    id      uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    title   text    NOT NULL CONSTRAINT lists_title UNIQUE,
    moment  text    NOT NULL CHECK (moment IN ('open', 'close', 'event', 'hand')),
    minutes integer NOT NULL CHECK (minutes BETWEEN 0 AND 720),
    items   jsonb   NOT NULL, -- [{"id", "text"}], in their order
    rev     bigint  NOT NULL
);

-- One time that a list is gone through. A planned one has a key, by which the plan finds it again: the day, or
-- a date of an event.
CREATE TABLE rounds (
    id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    list_id     uuid        NOT NULL REFERENCES lists ON DELETE CASCADE,
    key         text,
    title       text        NOT NULL, -- of the event; "" without one
    due         timestamptz NOT NULL,
    person      text,                 -- who does it
    address     text,                 -- where they want to be reminded
    reminded_at timestamptz,
    finished_at timestamptz,
    UNIQUE (list_id, key)
);
CREATE INDEX rounds_due ON rounds (due);

-- A step that was done. After the person's erasure nobody knows who did it.
CREATE TABLE checks (
    round_id uuid        NOT NULL REFERENCES rounds ON DELETE CASCADE,
    item_id  uuid        NOT NULL,
    done_by  text,
    done_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (round_id, item_id)
);

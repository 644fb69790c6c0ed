-- One row: rev counts every change that readers are told of; zone is the one that occurrences were made in.
CREATE TABLE calendar (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rev      bigint  NOT NULL,
    zone     text    NOT NULL
);
INSERT INTO calendar (rev, zone) VALUES (1, 'UTC');

CREATE TABLE rooms (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text    NOT NULL,
    rev  bigint  NOT NULL DEFAULT 1,
    CONSTRAINT rooms_name UNIQUE (name)
);

-- Times are those on the house's own clock. rule is RFC 5545's without its name, '' for an event that happens once.
CREATE TABLE events (
    id          uuid      PRIMARY KEY,
    title       text      NOT NULL,
    text        text      NOT NULL,
    starts      timestamp NOT NULL,
    minutes     integer   NOT NULL CHECK (minutes > 0),
    all_day     boolean   NOT NULL,
    rule        text      NOT NULL,
    rooms       integer[] NOT NULL,
    rev         bigint    NOT NULL DEFAULT 1,
    built_until date,     -- up to here it has occurrences; NULL: they have to be made anew
    changed_by  text,     -- who wrote it last; NULL: unknown, or the person was erased
    deleted_at  timestamptz
);
CREATE INDEX events_to_build ON events (built_until) WHERE deleted_at IS NULL AND rule <> '';
CREATE INDEX events_by_writer ON events (changed_by) WHERE changed_by IS NOT NULL;
CREATE INDEX events_deleted ON events (deleted_at) WHERE deleted_at IS NOT NULL;

-- One date of a repeating event that is not as the others: recurrence is when it would have begun.
CREATE TABLE exceptions (
    event_id   uuid      NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    recurrence timestamp NOT NULL,
    cancelled  boolean   NOT NULL,
    title      text      NOT NULL,
    text       text      NOT NULL,
    starts     timestamp NOT NULL,
    minutes    integer   NOT NULL CHECK (minutes > 0),
    rooms      integer[] NOT NULL,
    PRIMARY KEY (event_id, recurrence)
);

-- Every single time that something happens, up to the horizon. starts and ends are on the house's clock.
CREATE TABLE occurrences (
    event_id   uuid      NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    recurrence timestamp NOT NULL,
    starts     timestamp NOT NULL,
    ends       timestamp NOT NULL,
    during     tstzrange NOT NULL,
    PRIMARY KEY (event_id, recurrence)
);
CREATE INDEX occurrences_during ON occurrences USING gist (during);

-- No room is held twice at a time. A repeating event that finds a room taken later on waits for it (held is false).
-- A range of one number stands for the room: "=" of integers in GiST would need an extension.
CREATE TABLE bookings (
    event_id   uuid      NOT NULL,
    recurrence timestamp NOT NULL,
    room_id    integer   NOT NULL REFERENCES rooms (id),
    during     tstzrange NOT NULL,
    held       boolean   NOT NULL,
    PRIMARY KEY (event_id, recurrence, room_id),
    FOREIGN KEY (event_id, recurrence) REFERENCES occurrences (event_id, recurrence) ON DELETE CASCADE,
    CONSTRAINT bookings_one_at_a_time
        EXCLUDE USING gist (int4range(room_id, room_id, '[]') WITH &&, during WITH &&) WHERE (held)
);
CREATE INDEX bookings_waiting ON bookings (room_id) WHERE NOT held;
CREATE INDEX bookings_by_room ON bookings (room_id);

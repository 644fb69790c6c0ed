-- Songs with their words: sections is [{"label", "text"}].
CREATE TABLE songs (
    id         uuid   PRIMARY KEY DEFAULT gen_random_uuid(),
    title      text   NOT NULL,
    credit     text   NOT NULL,
    sections   jsonb  NOT NULL,
    rev        bigint NOT NULL DEFAULT 1,
    changed_by text
);
CREATE INDEX songs_by_title ON songs (lower(title), id);
CREATE INDEX songs_by_writer ON songs (changed_by) WHERE changed_by IS NOT NULL;

-- Orders of service. rev counts every change of the service and of its items.
CREATE TABLE services (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    title      text        NOT NULL,
    starts_at  timestamptz NOT NULL,
    rev        bigint      NOT NULL DEFAULT 1,
    changed_by text
);
CREATE INDEX services_by_start ON services (starts_at, id);
CREATE INDEX services_by_writer ON services (changed_by) WHERE changed_by IS NOT NULL;

-- What happens in a service, in the order of the positions 1, 2, 3 ... A song is shown with its own words.
CREATE TABLE items (
    id         uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    service_id uuid    NOT NULL REFERENCES services (id) ON DELETE CASCADE,
    position   integer NOT NULL,
    kind       text    NOT NULL CHECK (kind IN ('song', 'reading', 'talk', 'notice')),
    title      text    NOT NULL,
    text       text    NOT NULL,
    song_id    uuid    CONSTRAINT items_song REFERENCES songs (id),
    seconds    integer NOT NULL,
    rev        bigint  NOT NULL DEFAULT 1,
    CHECK ((kind = 'song') = (song_id IS NOT NULL)),
    CONSTRAINT items_order UNIQUE (service_id, position) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX items_by_song ON items (song_id) WHERE song_id IS NOT NULL;

-- An import of a file, which can be undone for a day. rooms are those that it made.
CREATE TABLE imports (
    id     uuid        PRIMARY KEY,
    at     timestamptz NOT NULL DEFAULT now(),
    rooms  integer[]   NOT NULL
);
ALTER TABLE events ADD COLUMN import_id uuid REFERENCES imports (id) ON DELETE SET NULL;
CREATE INDEX events_by_import ON events (import_id) WHERE import_id IS NOT NULL;

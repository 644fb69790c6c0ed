-- What imports have written, so that each can be undone for a day.
CREATE TABLE imported (
    import_id uuid   NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    kind      text   NOT NULL,
    id        text   NOT NULL,
    rev       bigint NOT NULL,
    before    jsonb,
    PRIMARY KEY (import_id, kind, id)
);
CREATE INDEX imported_by_row ON imported (kind, id);
INSERT INTO imported (import_id, kind, id, rev)
SELECT import_id, 'events', id::text, 1 FROM events WHERE import_id IS NOT NULL
UNION ALL
SELECT DISTINCT id, 'rooms', room::text, 1 FROM imports, unnest(rooms) AS room;
ALTER TABLE events DROP COLUMN import_id;
ALTER TABLE imports DROP COLUMN rooms;

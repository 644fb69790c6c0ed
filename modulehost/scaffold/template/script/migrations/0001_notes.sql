-- Applied once, as the module's own role in its own schema. A later change is a new file: 0002_name.sql.
CREATE TABLE notes (
    id   uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    text text        NOT NULL CONSTRAINT notes_text CHECK (length(text) BETWEEN 1 AND 500),
    at   timestamptz NOT NULL DEFAULT now(),
    rev  bigint      NOT NULL DEFAULT 1
);
CREATE INDEX notes_by_at ON notes (at, id);
CREATE TABLE notes_rev (rev bigint NOT NULL);
INSERT INTO notes_rev VALUES (1);

-- Applied once, as the module's own role in its own schema. A later change is a new file: 0002_name.sql.
CREATE TABLE notes (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    text text   NOT NULL CONSTRAINT notes_text CHECK (length(text) BETWEEN 1 AND 500),
    rev  bigint NOT NULL DEFAULT 1
);
CREATE TABLE notes_rev (rev bigint NOT NULL);
INSERT INTO notes_rev VALUES (1);

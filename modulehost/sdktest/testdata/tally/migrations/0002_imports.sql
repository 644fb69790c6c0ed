-- Things that imports write, and what they have written. Some columns have the names of those of imported.
CREATE TABLE things (
    id   text    PRIMARY KEY,
    name text    NOT NULL,
    rev  bigint  NOT NULL DEFAULT 1,
    used boolean NOT NULL DEFAULT false,
    gone boolean NOT NULL DEFAULT false,
    kind text,
    before text,
    import_id uuid
);
CREATE TABLE imports (
    id uuid        PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE imported (
    import_id uuid   NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    kind      text   NOT NULL,
    id        text   NOT NULL,
    rev       bigint NOT NULL,
    before    jsonb,
    PRIMARY KEY (import_id, kind, id)
);
CREATE INDEX imported_by_row ON imported (kind, id);

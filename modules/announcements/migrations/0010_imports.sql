-- What imports have written, so that each can be undone for a day.
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

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

-- How often somebody has changed a role's name or number: an undo of an import leaves such a role as it is.
ALTER TABLE roles ADD COLUMN rev bigint NOT NULL DEFAULT 1;

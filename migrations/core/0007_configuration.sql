-- What administrators configured of modules, as text; what a module declares gives it its type. Keys that nobody declares any more
-- stay.
CREATE TABLE core.module_configuration (
    module_id text NOT NULL,
    key       text NOT NULL,
    value     text NOT NULL,
    PRIMARY KEY (module_id, key)
);

-- A module's document is replaced as a whole by whoever holds its row here: of two replacements at once, one is left, never a mix.
CREATE TABLE core.module_configuration_document (
    module_id   text        PRIMARY KEY,
    replaced_at timestamptz NOT NULL DEFAULT now()
);

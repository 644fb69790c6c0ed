-- Stored decisions about modules, and the database role of each. No row in module_enablement means enabled.

CREATE TABLE core.module_enablement (
    module_id  text        PRIMARY KEY,
    enabled    boolean     NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now()
);

-- role_name and password are NULL where the platform may not create roles: the module then shares the platform's own role,
-- which only development allows.
CREATE TABLE core.module_database_role (
    module_id  text        PRIMARY KEY,
    schema_name text       NOT NULL UNIQUE,
    role_name  text        UNIQUE,
    password   text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((role_name IS NULL) = (password IS NULL))
);

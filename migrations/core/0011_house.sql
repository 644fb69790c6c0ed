-- The house: what people see of it on every screen, and the language of its mails. One row, by its key.

CREATE TABLE core.house (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    name      text    CONSTRAINT house_name CHECK (char_length(name) BETWEEN 1 AND 80), -- NULL: none was given
    accent    text    NOT NULL DEFAULT 'blue' CONSTRAINT house_accent
        CHECK (accent IN ('blue', 'violet', 'plum', 'ruby', 'copper', 'olive', 'green', 'teal')),
    language  text    NOT NULL DEFAULT 'en' CONSTRAINT house_language CHECK (language IN ('en', 'de')),
    rev       bigint  NOT NULL DEFAULT 0 -- counts the changes, so that a process never replaces a newer state by an older one
);
INSERT INTO core.house DEFAULT VALUES;

-- What each verification of a backup leaves. Rows are only added.
CREATE TABLE core.backup_run (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    verified_at timestamptz NOT NULL DEFAULT now(),
    verdict     text        CONSTRAINT backup_run_verdict CHECK (verdict ~ '^[A-Z][A-Z0-9_]*$') -- a code; NULL: it is good
);

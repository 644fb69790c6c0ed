-- What modules do regularly: one row for each schedule that a module has ever declared. All processes of an installation share it, and who
-- claims a row runs it.

CREATE TABLE core.module_schedule (
    module_id text        NOT NULL,
    name      text        NOT NULL,
    due_at    timestamptz NOT NULL,               -- of the next run
    free_at   timestamptz NOT NULL DEFAULT now(), -- whoever claims the row moves this, so that nobody else runs it meanwhile
    run       bigint      NOT NULL DEFAULT 0,     -- how often it was claimed: a process whose claim has ended writes nothing
    tries     integer     NOT NULL DEFAULT 0,     -- since the last run that succeeded
    PRIMARY KEY (module_id, name)
);

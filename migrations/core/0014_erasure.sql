-- Who was erased has to be forgotten by the modules too: one row for each module that ever had a database, also for one that is off or
-- removed, because its tables are still here.

CREATE TABLE core.person_erasure (
    person_id   uuid        NOT NULL REFERENCES core.person (id),
    module_id   text        NOT NULL,
    done_at     timestamptz, -- NULL: the module has not forgotten the person yet
    tries       integer     NOT NULL DEFAULT 0,
    next_try_at timestamptz NOT NULL DEFAULT now(), -- whoever claims the row moves this, so that nobody else tries meanwhile
    PRIMARY KEY (person_id, module_id)
);
CREATE INDEX person_erasure_open ON core.person_erasure (next_try_at) WHERE done_at IS NULL;

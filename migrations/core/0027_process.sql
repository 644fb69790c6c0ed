-- Processes of the platform behind a transaction pooler, where no session of theirs can hold a lock.

CREATE TABLE core.process (
    id       uuid        PRIMARY KEY,
    listener bigint      NOT NULL, -- number of the socket that it listens on; 0: not known
    seen_at  timestamptz NOT NULL
);

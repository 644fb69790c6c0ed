CREATE TABLE behaviour (name text NOT NULL);
INSERT INTO behaviour VALUES ('obeys');
CREATE TABLE runs (
    id    bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    pid   integer     NOT NULL,
    began timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended timestamptz
);

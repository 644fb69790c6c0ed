-- Who changed what: one row for each change, in the transaction of the change itself. Rows are numbered without gaps and form a
-- chain of hashes, so that a row that was removed or changed later is found.

CREATE TABLE core.activity (
    number       bigint      PRIMARY KEY,
    at           timestamptz NOT NULL,
    entry        text        NOT NULL, -- JSON: actor, action, subject and details, exactly as it was hashed
    hash         bytea       NOT NULL,
    -- What the listing filters by. It comes from the hashed text alone, so it cannot tell anything else.
    action       text        NOT NULL GENERATED ALWAYS AS (entry::jsonb ->> 'action') STORED,
    actor_id     text        GENERATED ALWAYS AS (entry::jsonb -> 'actor' ->> 'userId') STORED,
    subject_kind text        NOT NULL GENERATED ALWAYS AS (entry::jsonb -> 'subject' ->> 'kind') STORED,
    subject_id   text        NOT NULL GENERATED ALWAYS AS (entry::jsonb -> 'subject' ->> 'id') STORED
);

-- A filtered page is the beginning of one index scan, however long the history. The indexes have -number, which the primary key
-- cannot provide: otherwise the planner would walk the primary key and throw away what the filter does not match.
CREATE INDEX activity_action ON core.activity (action, (-number));
CREATE INDEX activity_actor ON core.activity (actor_id, (-number));
CREATE INDEX activity_actor_action ON core.activity (actor_id, action, (-number));
CREATE INDEX activity_subject_kind ON core.activity (subject_kind, (-number));
CREATE INDEX activity_subject_id ON core.activity (subject_id, (-number));
CREATE INDEX activity_subject ON core.activity (subject_kind, subject_id, (-number));
CREATE INDEX activity_subject_action ON core.activity (subject_kind, subject_id, action, (-number));

-- What goes together, so that the planner does not take a filter by two of them for a rare one.
CREATE STATISTICS core.activity_filters (dependencies, mcv)
    ON action, actor_id, subject_kind, subject_id FROM core.activity;

CREATE TRIGGER activity_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON core.activity
    FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_audit_change();

-- The chain's last row. Whoever adds rows locks it, as the last thing before the commit.
CREATE TABLE core.activity_head (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    count     bigint  NOT NULL,
    hash      bytea   NOT NULL
);
INSERT INTO core.activity_head (count, hash)
VALUES (0, decode(repeat('00', 32), 'hex'));

CREATE TRIGGER activity_head_stays
    BEFORE DELETE OR TRUNCATE ON core.activity_head
    FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_audit_change();

-- A row's hash is SHA-256 of the hash before it (32 bytes, the first one zeros), the row's number and its time in microseconds since
-- 1970 (8 bytes each, big-endian), and the entry's text in UTF-8.
CREATE FUNCTION core.record_activity(entries text[]) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    head  core.activity_head;
    entry text;
    now   timestamptz;
BEGIN
    SELECT * INTO STRICT head FROM core.activity_head FOR UPDATE;
    FOREACH entry IN ARRAY entries LOOP
        now := clock_timestamp();
        head.count := head.count + 1;
        head.hash := sha256(head.hash || int8send(head.count)
            || int8send((extract(epoch FROM now) * 1000000)::bigint) || convert_to(entry, 'UTF8'));
        INSERT INTO core.activity (number, at, entry, hash)
        VALUES (head.count, now, entry, head.hash);
    END LOOP;
    UPDATE core.activity_head SET count = head.count, hash = head.hash;
END
$$;

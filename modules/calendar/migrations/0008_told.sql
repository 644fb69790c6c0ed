-- What somebody who has signed up last heard of their event: when it begins, its minutes and whether it has whole days, or 'off' if
-- it is cancelled. Where that is not so any more, they are mailed, once for all changes of some minutes.
ALTER TABLE participants
    ADD COLUMN told text NOT NULL DEFAULT '',
    DROP CONSTRAINT participants_mail_check,
    ADD CONSTRAINT participants_mail_check CHECK (mail IN ('', 'new', 'up', 'changed'));
UPDATE participants p
SET told = CASE WHEN e.deleted_at IS NOT NULL THEN 'off'
    ELSE to_char(e.starts, 'YYYY-MM-DD"T"HH24:MI') || ' ' || e.minutes || ' ' || e.all_day END
FROM events e
WHERE e.id = p.event_id;

-- A sheet is that of an event that happens once (recurrence is NULL), or of one date of a series, as exceptions and occurrences name
-- it. It keeps its id, which links name, when the date or the series moves. gone: the series has no such date any more, and who had
-- signed up can still be read.
ALTER TABLE participants DROP CONSTRAINT participants_event_id_fkey;
ALTER TABLE sheets
    DROP CONSTRAINT sheets_pkey,
    ADD COLUMN id uuid,
    ADD COLUMN recurrence timestamp,
    ADD COLUMN gone boolean NOT NULL DEFAULT false CHECK (recurrence IS NOT NULL OR NOT gone);
UPDATE sheets SET id = event_id;
ALTER TABLE sheets ADD CONSTRAINT sheets_pkey PRIMARY KEY (id);
CREATE UNIQUE INDEX sheets_of_dates ON sheets (event_id, recurrence) NULLS NOT DISTINCT;
ALTER TABLE participants RENAME COLUMN event_id TO sheet_id;
ALTER TABLE participants
    ADD CONSTRAINT participants_sheet_id_fkey FOREIGN KEY (sheet_id) REFERENCES sheets (id) ON DELETE CASCADE;
ALTER INDEX participants_by_event RENAME TO participants_by_sheet;
ALTER TABLE erased_signups RENAME COLUMN event_id TO sheet_id;

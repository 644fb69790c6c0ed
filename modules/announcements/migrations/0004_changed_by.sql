-- Who has written a notice last, by their id; NULL: unknown, or the person was erased.
ALTER TABLE slides ADD COLUMN changed_by text;
CREATE INDEX slides_by_writer ON slides (changed_by) WHERE changed_by IS NOT NULL;

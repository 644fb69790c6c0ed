-- When an event was changed last, for programs that fetch the calendar.
ALTER TABLE events ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();

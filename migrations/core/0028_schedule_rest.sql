-- What a run said of its schedule: that there is nothing to do before a moment, so that a process that nobody uses need not run for it.

ALTER TABLE core.module_schedule
    ADD COLUMN rests_until timestamptz, -- NULL: it said nothing
    ADD COLUMN ended_at    timestamptz; -- of the last run that succeeded

-- When and where alone a notice is shown between its start and its end: {"weekdays", "hours", "screens"}; NULL: always, everywhere.
ALTER TABLE slides ADD COLUMN shown_only jsonb;

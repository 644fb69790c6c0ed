-- The time zone of the house, by its IANA name.

ALTER TABLE core.house
    ADD COLUMN time_zone text CONSTRAINT house_time_zone CHECK (char_length(time_zone) BETWEEN 1 AND 64); -- NULL: not set

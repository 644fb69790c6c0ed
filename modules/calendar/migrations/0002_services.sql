-- An event with a service_rev is a service of the module that plans services. What that module says of it is here as of that
-- rev, because rooms are booked here; 0: it has not confirmed the service yet, which holds its rooms and is shown to nobody.
ALTER TABLE events ADD COLUMN service_rev bigint;
-- Its length was chosen here; else it is the planned one.
ALTER TABLE events ADD COLUMN own_length boolean NOT NULL DEFAULT false;
CREATE INDEX events_services ON events (id) WHERE service_rev IS NOT NULL;

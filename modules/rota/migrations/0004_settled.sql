-- settled: the service was long ago and is not followed any more. Own duties and the search for changed services skip
-- such rows by this index, so they cost as much after years as in the first month.
ALTER TABLE assignments ADD COLUMN settled boolean NOT NULL DEFAULT false;
CREATE INDEX assignments_unsettled ON assignments (volunteer_id, service_ref) WHERE NOT settled;

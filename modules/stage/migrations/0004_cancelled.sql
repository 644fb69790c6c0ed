-- A cancelled service is out of every list. For a day it can be brought back, then it is deleted.
ALTER TABLE services ADD COLUMN cancelled_at timestamptz;
CREATE INDEX services_cancelled ON services (cancelled_at) WHERE cancelled_at IS NOT NULL;

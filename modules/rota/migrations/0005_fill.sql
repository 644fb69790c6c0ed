-- How many people a role needs in a service, and in which services it needs another number.
ALTER TABLE roles ADD COLUMN needed integer NOT NULL DEFAULT 1 CHECK (needed BETWEEN 0 AND 20);

CREATE TABLE needs (
    service_ref text    NOT NULL,
    role_id     uuid    NOT NULL CONSTRAINT needs_role REFERENCES roles (id) ON DELETE CASCADE,
    needed      integer NOT NULL CHECK (needed BETWEEN 0 AND 20),
    rev         bigint  NOT NULL DEFAULT 1,
    PRIMARY KEY (service_ref, role_id)
);
CREATE INDEX needs_by_role ON needs (role_id);

-- How often somebody serves in a calendar month at most; NULL: as often as they are needed.
ALTER TABLE volunteers ADD COLUMN per_month integer CHECK (per_month BETWEEN 1 AND 31);

-- When somebody would like to serve.
CREATE TABLE wishes (
    volunteer_id uuid NOT NULL REFERENCES volunteers (id) ON DELETE CASCADE,
    first_day    date NOT NULL,
    last_day     date NOT NULL,
    PRIMARY KEY (volunteer_id, first_day),
    CHECK (last_day >= first_day)
);

-- Who likes to serve with whom, and who must never be in a service with whom (apart). Each pair has two rows.
CREATE TABLE pairs (
    volunteer_id uuid    NOT NULL REFERENCES volunteers (id) ON DELETE CASCADE,
    other_id     uuid    NOT NULL CONSTRAINT pairs_other REFERENCES volunteers (id) ON DELETE CASCADE,
    apart        boolean NOT NULL,
    PRIMARY KEY (volunteer_id, other_id),
    CHECK (volunteer_id <> other_id)
);
CREATE INDEX pairs_by_other ON pairs (other_id);

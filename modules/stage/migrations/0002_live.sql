-- One row: what the screens follow and who drives them. Every write locks it first, so that writes take turns.
-- rev counts what screens and phones are told; plans_rev counts every change of services and songs.
CREATE TABLE stage (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    service_id uuid    REFERENCES services (id) ON DELETE SET NULL,
    driver     text,
    rev        bigint  NOT NULL,
    plans_rev  bigint  NOT NULL
);
INSERT INTO stage (rev, plans_rev) VALUES (1, 1);

-- Where a service stands. It stays when another service is driven, so that one can return to it.
CREATE TABLE live (
    service_id uuid        PRIMARY KEY REFERENCES services (id) ON DELETE CASCADE,
    item_id    uuid        REFERENCES items (id) ON DELETE SET NULL,
    section    integer     NOT NULL DEFAULT 0,
    item_since timestamptz NOT NULL DEFAULT now(),
    screen     text        NOT NULL DEFAULT 'live' CHECK (screen IN ('live', 'black', 'logo')),
    message    text        NOT NULL DEFAULT ''
);
CREATE INDEX live_by_item ON live (item_id) WHERE item_id IS NOT NULL;

-- Which presses were done, for an hour: a request that is sent again after a lost answer does nothing.
CREATE TABLE presses (
    driver  text        NOT NULL,
    op_id   uuid        NOT NULL,
    done_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (driver, op_id)
);
CREATE INDEX presses_by_age ON presses (done_at);

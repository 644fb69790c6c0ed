-- How the Dashboard's navigation is arranged. A module that has no row in navigation_placement is ungrouped, without an order; the row
-- of a module that is not installed stays until it is back.

CREATE TABLE core.navigation_group (
    id       text    PRIMARY KEY,
    label    text    NOT NULL,
    position integer NOT NULL
);

-- A group's modules outlive it: they keep their position and are ungrouped.
CREATE TABLE core.navigation_placement (
    module_id text    PRIMARY KEY,
    group_id  text,   -- NULL: placed, but in no group
    position  integer NOT NULL,
    CONSTRAINT navigation_placement_group FOREIGN KEY (group_id) REFERENCES core.navigation_group (id) ON DELETE SET NULL
);

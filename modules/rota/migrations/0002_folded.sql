-- Two volunteers are the same whatever the case of their letters and the locale of the database. A database without a locale may hold
-- two that differ in the case of an Ä alone: the second one gets a number.
WITH alike AS (
    SELECT id, row_number() OVER (
        PARTITION BY lower(label COLLATE "und-x-icu"), lower(email COLLATE "und-x-icu") ORDER BY id) AS n
    FROM volunteers
    WHERE label <> ''
)
UPDATE volunteers AS v
SET label = left(v.label, 72) || ' (' || alike.n || ')', rev = v.rev + 1
FROM alike
WHERE alike.id = v.id AND alike.n > 1;

DROP INDEX volunteers_once;
CREATE UNIQUE INDEX volunteers_once
    ON volunteers (lower(label COLLATE "und-x-icu"), lower(email COLLATE "und-x-icu")) WHERE label <> '';

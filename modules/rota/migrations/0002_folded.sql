-- Two volunteers are the same whatever the case of their letters and the locale of the database. A database without a
-- locale may hold some that differ in the case of an Ä alone: each but the first one gets a number that nobody has.
DO $$
DECLARE
    twin  record;
    other text;
BEGIN
    FOR twin IN
        SELECT id, label, email
        FROM (
            SELECT id, label, email, row_number() OVER (
                PARTITION BY lower(label COLLATE "und-x-icu"), lower(email COLLATE "und-x-icu") ORDER BY id) AS place
            FROM volunteers
            WHERE label <> ''
        ) AS alike
        WHERE place > 1
        ORDER BY id
    LOOP
        FOR number IN 2 .. 1001 LOOP -- there are at most 1,000 volunteers
            other := ' (' || number || ')';
            other := rtrim(left(twin.label, 80 - length(other))) || other;
            EXIT WHEN NOT EXISTS (
                SELECT
                FROM volunteers
                WHERE lower(label COLLATE "und-x-icu") = lower(other COLLATE "und-x-icu")
                    AND lower(email COLLATE "und-x-icu") = lower(twin.email COLLATE "und-x-icu"));
        END LOOP;
        UPDATE volunteers SET label = other, rev = rev + 1 WHERE id = twin.id;
    END LOOP;
END
$$;

DROP INDEX volunteers_once;
CREATE UNIQUE INDEX volunteers_once
    ON volunteers (lower(label COLLATE "und-x-icu"), lower(email COLLATE "und-x-icu")) WHERE label <> '';

-- Songs are found whatever the case and the marks of letters, and listed as readers expect, whatever the locale of the database is.
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT replace(regexp_replace(normalize(lower($1 COLLATE "und-x-icu"), NFKD), U&'[\0300-\036F]', '', 'g'), 'ß', 'ss')
$$;
ALTER TABLE songs ADD COLUMN folded text NOT NULL GENERATED ALWAYS AS (folded(title)) STORED;
DROP INDEX songs_by_title;
CREATE INDEX songs_by_title ON songs (title COLLATE "und-x-icu", id);

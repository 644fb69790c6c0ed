-- The words by which a person is found. The platform makes them (services/folding), because what a database makes of letters depends
-- on its locale; the migrator does so for the people who are here. NULL: they have to be made.
ALTER TABLE core.person ADD COLUMN words tsvector;
CREATE INDEX person_words ON core.person USING gin (words);
CREATE INDEX person_without_words ON core.person (id) WHERE words IS NULL;

-- Whoever writes a name or an address need not know of the words, also an older program that still runs.
CREATE FUNCTION core.forget_words() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.name IS DISTINCT FROM OLD.name OR NEW.email IS DISTINCT FROM OLD.email THEN
        NEW.words := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER person_words_follow BEFORE UPDATE OF name, email ON core.person
    FOR EACH ROW EXECUTE FUNCTION core.forget_words();

-- People are listed in the order of their names that readers of most languages expect, whatever the locale: erased people last.
CREATE INDEX person_by_name ON core.person
    ((CASE WHEN erased_at IS NULL THEN '0' || name ELSE '1' END) COLLATE "und-x-icu", id);
DROP INDEX core.person_directory;
DROP INDEX core.person_email_prefix;

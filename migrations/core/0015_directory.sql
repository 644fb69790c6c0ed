-- The directory shows erased people after everybody else: their name is empty, so by name they would come first.

CREATE INDEX person_directory ON core.person
    ((CASE WHEN erased_at IS NULL THEN '0' || lower(name) ELSE '1' END) COLLATE "C", id);
DROP INDEX core.person_name_prefix;

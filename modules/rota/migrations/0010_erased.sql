-- Volunteers who are no longer here, by their ids, so that an archive from before does not bring back who was erased. Of one
-- whom a coordinator removed, user_id is who they were, until that person is erased. erased_on is null of whoever was erased
-- before this table was there.
CREATE TABLE departed (
    volunteer_id uuid    PRIMARY KEY,
    user_id      text,
    erased_on    date
);
CREATE INDEX departed_by_user ON departed (user_id) WHERE user_id IS NOT NULL;
INSERT INTO departed (volunteer_id) SELECT id FROM volunteers WHERE label = '';

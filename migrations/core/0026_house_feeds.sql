-- Feeds of the house, as for its website: of a link instead of a person.

ALTER TABLE core.feed
    ALTER COLUMN person_id DROP NOT NULL,
    ADD COLUMN link_id uuid REFERENCES core.link (id) ON DELETE CASCADE,
    ADD CONSTRAINT feed_of_one CHECK ((person_id IS NULL) <> (link_id IS NULL));
CREATE INDEX feed_link ON core.feed (link_id) WHERE link_id IS NOT NULL;

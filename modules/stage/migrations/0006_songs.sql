-- What a song has besides its words. verse_order is a list of labels, in the order in which they are sung; when it is empty, each
-- section is sung once.
ALTER TABLE songs
    ADD COLUMN copyright   text  NOT NULL DEFAULT '',
    ADD COLUMN ccli        text  NOT NULL DEFAULT '',
    ADD COLUMN verse_order jsonb NOT NULL DEFAULT '[]';

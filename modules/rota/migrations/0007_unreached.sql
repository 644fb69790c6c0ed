-- unreached are the volunteers whom the news concern and who have no address, so somebody has to tell them otherwise.
ALTER TABLE news ADD COLUMN unreached uuid[] NOT NULL DEFAULT '{}';

-- Since which change of the house zone is the house's.
ALTER TABLE calendar ADD COLUMN zone_rev bigint NOT NULL DEFAULT -1;

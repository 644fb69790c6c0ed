-- The smaller sizes in which a picture is kept, [{"width", "height"}], the largest first; NULL: nobody has tried yet.
ALTER TABLE images ADD COLUMN sizes jsonb;

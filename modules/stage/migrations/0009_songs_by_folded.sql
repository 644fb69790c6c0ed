-- An import looks for each of its songs.
CREATE INDEX songs_by_folded ON songs (folded);

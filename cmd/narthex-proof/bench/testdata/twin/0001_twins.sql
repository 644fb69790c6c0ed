CREATE TABLE twins (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL, done boolean NOT NULL);
INSERT INTO twins (title, done) SELECT 'The title of a row', n % 2 = 0 FROM generate_series(1, 200) AS n;

CREATE TABLE board (rev bigint NOT NULL);
INSERT INTO board (rev) VALUES (0);
CREATE TABLE marks (rev bigint PRIMARY KEY, name text NOT NULL, at timestamptz, tags text[], more jsonb);

CREATE TYPE side AS ENUM ('left', 'right');
CREATE TABLE seats (name text PRIMARY KEY);

CREATE TABLE books (
    id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
    title text NOT NULL CONSTRAINT books_title UNIQUE,
    blurb text NOT NULL,
    genre text NOT NULL,
    pages bigint,
    weight double precision NOT NULL,
    lent boolean NOT NULL,
    bought date,
    tags jsonb NOT NULL,
    rev bigint NOT NULL DEFAULT 1
);
CREATE INDEX books_by_title ON books (title COLLATE "und-x-icu", id);
CREATE TABLE books_rev (rev bigint NOT NULL);
INSERT INTO books_rev VALUES (1);
CREATE TABLE shelves (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    position bigint NOT NULL,
    rev bigint NOT NULL DEFAULT 1
);
CREATE INDEX shelves_by_position ON shelves (position, id);
CREATE TABLE shelves_rev (rev bigint NOT NULL);
INSERT INTO shelves_rev VALUES (1);

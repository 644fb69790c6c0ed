CREATE TABLE books (
    id       uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    title    text    NOT NULL UNIQUE,
    blurb    text    NOT NULL,
    pages    bigint,
    bought   date,
    shelf    text    NOT NULL,
    lent     boolean NOT NULL,
    tags     jsonb   NOT NULL,
    position bigint  NOT NULL,
    rev      bigint  NOT NULL DEFAULT 1
);
CREATE TABLE books_rev (rev bigint NOT NULL);
INSERT INTO books_rev VALUES (1);
INSERT INTO books (title, blurb, shelf, lent, tags, position)
SELECT 'Book ' || n, '', 'hall', false, '[]', n * 1024 FROM generate_series(1, 120) AS n;

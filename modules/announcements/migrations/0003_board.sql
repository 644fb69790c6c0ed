-- Pictures. The object is stored before its row, and deleted after it: what is left over has no row.
CREATE TABLE images (
    id         uuid        PRIMARY KEY,
    object_key text        NOT NULL UNIQUE,
    type       text        NOT NULL,
    bytes      bigint      NOT NULL,
    width      integer     NOT NULL,
    height     integer     NOT NULL,
    sha256     bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE slides ADD CONSTRAINT slides_image FOREIGN KEY (image_id) REFERENCES images (id);
CREATE INDEX slides_by_image ON slides (image_id) WHERE image_id IS NOT NULL;
-- One row: what screens follow. rev counts every change that they are told of.
CREATE TABLE board (
    only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rev         bigint  NOT NULL,
    shown_id    uuid    REFERENCES slides (id) ON DELETE SET NULL,
    shown_until timestamptz
);
INSERT INTO board (rev) VALUES (1);
-- One row: when pictures that nobody uses were last looked for. Of several processes, the one that changes it does.
CREATE TABLE sweep (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    began_at timestamptz NOT NULL
);
INSERT INTO sweep (began_at) VALUES (now() - interval '1 year');

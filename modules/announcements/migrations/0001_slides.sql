-- One row a notice. kind and payload belong to the module that renders it; "notice" is our own.
CREATE TABLE slides (
    id        uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    kind      text        NOT NULL,
    title     text        NOT NULL,
    body      text        NOT NULL,
    image_id  uuid,
    payload   jsonb,
    starts_at timestamptz,
    ends_at   timestamptz,
    position  bigint      NOT NULL,
    enabled   boolean     NOT NULL,
    rev       bigint      NOT NULL DEFAULT 1,
    CHECK (ends_at > starts_at)
);
CREATE INDEX slides_order ON slides (position, id);

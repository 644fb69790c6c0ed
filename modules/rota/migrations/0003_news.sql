-- The services that people are asked for, as they were when somebody was last told. rev is that of the module that plans
-- them.
CREATE TABLE known_services (
    service_ref text        PRIMARY KEY,
    title       text        NOT NULL,
    starts_at   timestamptz NOT NULL,
    rev         bigint      NOT NULL,
    cancelled   boolean     NOT NULL
);

-- agreed is the start to which somebody said yes, if the service was moved since and they have not answered again.
ALTER TABLE assignments ADD COLUMN agreed timestamptz;

-- What has become different. Coordinators see it on the board until one of them has marked it as seen. once says
-- which change it is, so that it is noted once. label is of a volunteer who was removed.
CREATE TABLE news (
    id           bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    once         text        NOT NULL UNIQUE,
    kind         text        NOT NULL
                 CHECK (kind IN ('moved', 'cancelled', 'restored', 'declined', 'away', 'removed')),
    service_ref  text        NOT NULL,
    title        text        NOT NULL,
    starts_at    timestamptz NOT NULL,
    was          timestamptz,
    people       integer     NOT NULL,
    role_id      uuid,
    volunteer_id uuid,
    label        text        NOT NULL DEFAULT '',
    user_id      text,
    at           timestamptz NOT NULL,
    seen         boolean     NOT NULL DEFAULT false
);
CREATE INDEX news_unseen ON news (id) WHERE NOT seen;
CREATE INDEX news_by_volunteer ON news (volunteer_id) WHERE volunteer_id IS NOT NULL;
CREATE INDEX news_by_user ON news (user_id) WHERE user_id IS NOT NULL;

-- Who is to be told by mail: each person once of each piece of news. mail_id is the mail that tells it, with what else
-- there was to tell within the hour. label, email and language are of a volunteer who was removed, until it is sent.
CREATE TABLE told (
    news_id      bigint NOT NULL REFERENCES news (id) ON DELETE CASCADE,
    volunteer_id uuid   NOT NULL,
    coordinates  boolean NOT NULL,
    mail_id      bigint REFERENCES mail_log (id) ON DELETE CASCADE,
    label        text   NOT NULL DEFAULT '',
    email        text   NOT NULL DEFAULT '',
    language     text   NOT NULL DEFAULT '',
    PRIMARY KEY (news_id, volunteer_id)
);
CREATE INDEX told_by_volunteer ON told (volunteer_id);
CREATE INDEX told_by_mail ON told (mail_id) WHERE mail_id IS NOT NULL;

-- One row: rev counts every change that readers of the board are told of, roles_rev those of the list of roles.
CREATE TABLE board (
    only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rev       bigint  NOT NULL,
    roles_rev bigint  NOT NULL
);
INSERT INTO board (rev, roles_rev) VALUES (1, 1);

CREATE TABLE roles (
    id       uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    name     text    NOT NULL,
    position integer NOT NULL
);

-- The mails that are to be sent, and how those ended that were. It has no address. A row is claimed before it is sent,
-- once is what must not be sent twice, such as the reminder of one assignment before one day.
CREATE TABLE mail_log (
    id           bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind         text        NOT NULL,
    volunteer_id uuid,
    once         text        UNIQUE,
    queued_at    timestamptz NOT NULL DEFAULT now(),
    claimed_at   timestamptz,
    outcome      text,
    at           timestamptz
);
CREATE INDEX mail_log_waiting ON mail_log (id) WHERE outcome IS NULL;
CREATE INDEX mail_log_of_volunteer ON mail_log (volunteer_id);

-- Who serves. Of an erased person the row stays, without label, address and user. link is the number that a claim link
-- must bear; each use, and each withdrawal, makes it another one.
CREATE TABLE volunteers (
    id       uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
    label    text    NOT NULL,
    email    text    NOT NULL,
    language text    NOT NULL CHECK (language IN ('', 'en', 'de')),
    digest   boolean NOT NULL,
    user_id  text    UNIQUE,
    link     bigint  NOT NULL DEFAULT 1,
    mail_id  bigint  REFERENCES mail_log (id) ON DELETE SET NULL,
    rev      bigint  NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX volunteers_once ON volunteers (lower(label), lower(email)) WHERE label <> '';
CREATE INDEX volunteers_by_mail ON volunteers (mail_id) WHERE mail_id IS NOT NULL;
ALTER TABLE mail_log ADD CONSTRAINT mail_log_volunteer
    FOREIGN KEY (volunteer_id) REFERENCES volunteers (id) ON DELETE CASCADE;

CREATE TABLE volunteer_roles (
    volunteer_id uuid NOT NULL REFERENCES volunteers (id) ON DELETE CASCADE,
    role_id      uuid NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    PRIMARY KEY (volunteer_id, role_id)
);
CREATE INDEX volunteer_roles_by_role ON volunteer_roles (role_id);

CREATE TABLE away (
    volunteer_id uuid NOT NULL REFERENCES volunteers (id) ON DELETE CASCADE,
    first_day    date NOT NULL,
    last_day     date NOT NULL,
    PRIMARY KEY (volunteer_id, first_day),
    CHECK (last_day >= first_day)
);

-- Who has which role in which service: planned (not asked yet), open (asked), yes or no. mail_id is the last mail
-- about it.
CREATE TABLE assignments (
    id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    service_ref  text        NOT NULL,
    role_id      uuid        NOT NULL CONSTRAINT assignments_role REFERENCES roles (id),
    volunteer_id uuid        NOT NULL REFERENCES volunteers (id) ON DELETE CASCADE,
    status       text        NOT NULL CHECK (status IN ('planned', 'open', 'yes', 'no')),
    asked_at     timestamptz,
    mail_id      bigint      REFERENCES mail_log (id) ON DELETE SET NULL,
    rev          bigint      NOT NULL DEFAULT 1,
    CONSTRAINT assignments_once UNIQUE (service_ref, role_id, volunteer_id)
);
CREATE INDEX assignments_by_volunteer ON assignments (volunteer_id);
CREATE INDEX assignments_by_role ON assignments (role_id);
CREATE INDEX assignments_by_mail ON assignments (mail_id) WHERE mail_id IS NOT NULL;

-- seeking: the volunteer looks for somebody who takes the date over, and is expected until somebody has.
ALTER TABLE assignments ADD COLUMN seeking boolean NOT NULL DEFAULT false;

-- Who was asked to take over a date. mail_id is the mail that asks.
CREATE TABLE substitutes (
    assignment_id uuid   NOT NULL REFERENCES assignments (id) ON DELETE CASCADE,
    volunteer_id  uuid   NOT NULL REFERENCES volunteers (id) ON DELETE CASCADE,
    mail_id       bigint REFERENCES mail_log (id) ON DELETE SET NULL,
    PRIMARY KEY (assignment_id, volunteer_id)
);
CREATE INDEX substitutes_by_volunteer ON substitutes (volunteer_id);
CREATE INDEX substitutes_by_mail ON substitutes (mail_id) WHERE mail_id IS NOT NULL;

-- That somebody has taken over a date is news, too.
ALTER TABLE news DROP CONSTRAINT news_kind_check;
ALTER TABLE news ADD CONSTRAINT news_kind_check
    CHECK (kind IN ('moved', 'cancelled', 'restored', 'declined', 'away', 'removed', 'replaced'));

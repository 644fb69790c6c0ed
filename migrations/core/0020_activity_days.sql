-- Which entries there were on a day, and who came by an invitation.

CREATE INDEX activity_at ON core.activity (at);
CREATE INDEX activity_joined ON core.activity ((entry::jsonb -> 'details' ->> 'invitationId'))
    WHERE action = 'person.joined';

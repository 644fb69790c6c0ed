-- What a person sees of their own sessions: an id that opens nothing, the browser's kind, and when it was last there.

ALTER TABLE core.session
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN description text NOT NULL DEFAULT ''
        CONSTRAINT session_description CHECK (char_length(description) <= 80),
    ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now();
UPDATE core.session SET last_seen_at = extended_at;

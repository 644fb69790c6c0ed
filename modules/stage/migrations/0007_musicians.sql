-- For musicians: how many semitones higher a song is played than it is written, and where the capo is.
ALTER TABLE items
    ADD COLUMN transpose integer NOT NULL DEFAULT 0 CHECK (transpose BETWEEN -11 AND 11),
    ADD COLUMN capo      integer NOT NULL DEFAULT 0 CHECK (capo BETWEEN 0 AND 11);

-- Before a service, screens count down to its start. Then they show what is live, without a press.
ALTER TABLE live
    DROP CONSTRAINT live_screen_check,
    ADD CONSTRAINT live_screen_check CHECK (screen IN ('live', 'black', 'logo', 'countdown'));

-- When the words of a notice were changed last, and by which id programs that read news know this board.
ALTER TABLE slides ADD COLUMN changed_at timestamptz;
UPDATE slides SET changed_at = created_at;
ALTER TABLE slides
    ALTER COLUMN changed_at SET DEFAULT now(),
    ALTER COLUMN changed_at SET NOT NULL;
ALTER TABLE board ADD COLUMN feed_id uuid NOT NULL DEFAULT gen_random_uuid();

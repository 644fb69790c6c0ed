-- When a notice was written first, for "the latest notice". What is there already counts as written now.
ALTER TABLE slides ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();

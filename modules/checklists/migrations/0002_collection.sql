-- A list counts its edits, and no longer has the number of the board's change.
ALTER TABLE lists ALTER rev SET DEFAULT 1;

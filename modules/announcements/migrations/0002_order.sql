-- One row: how often the order of the board was changed by hand. Whoever moves a notice says which order they saw.
CREATE TABLE board_order (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    rev      bigint  NOT NULL
);
INSERT INTO board_order (rev) VALUES (1);

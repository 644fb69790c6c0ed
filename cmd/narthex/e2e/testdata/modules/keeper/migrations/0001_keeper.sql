-- What is kept of people, how the module behaves when it is asked about one, and which erasures it was told of.
CREATE TABLE kept (
    user_id text NOT NULL,
    note    text NOT NULL
);
CREATE TABLE behaviour (name text NOT NULL);
INSERT INTO behaviour VALUES ('obeys');
CREATE TABLE told (user_id text NOT NULL);

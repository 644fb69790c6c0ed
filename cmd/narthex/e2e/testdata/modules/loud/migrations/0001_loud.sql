-- What the module did, and whether its one read may respond.
CREATE TABLE done (what text NOT NULL);
CREATE TABLE gate (open boolean NOT NULL);
INSERT INTO gate VALUES (true);

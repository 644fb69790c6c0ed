-- When pictures that nobody uses are looked for is the platform's to know.
DROP TABLE sweep;

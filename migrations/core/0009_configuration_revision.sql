-- How often a module's document was replaced, so that a replacement can name the one that its author has seen.
ALTER TABLE core.module_configuration_document
    ADD COLUMN rev bigint NOT NULL DEFAULT 1;

-- changed rises with every change of any service, so that another module asks only for what is new to it. Every write has
-- locked the row of the stage until its commit, so a reader that knows a number has seen all lower ones.
CREATE SEQUENCE services_changed;
ALTER TABLE services ADD COLUMN changed bigint NOT NULL DEFAULT nextval('services_changed');
ALTER SEQUENCE services_changed OWNED BY services.changed;
CREATE UNIQUE INDEX services_by_change ON services (changed);
CREATE FUNCTION number_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := nextval('services_changed');
    RETURN NEW;
END
$$;
CREATE TRIGGER services_number_change BEFORE UPDATE OF rev ON services
    FOR EACH ROW EXECUTE FUNCTION number_change();

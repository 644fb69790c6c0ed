-- When a duty, or the service that it is in, was changed last, for programs that fetch a person's duties. changes counts
-- those of a service: the rev is the other module's, and a deleted service has none.
ALTER TABLE assignments ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE known_services
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN changes    bigint      NOT NULL DEFAULT 0;
CREATE FUNCTION date_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER assignments_date_change BEFORE UPDATE OF rev ON assignments
    FOR EACH ROW EXECUTE FUNCTION date_change();

-- A suspension takes back what others were notified of by the account: at once no more than 1000 events.
CREATE OR REPLACE FUNCTION undo_notifications_of_suspension() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(notification_lock(NEW.id, NEW.id));
  PERFORM undo_events_of(NEW.id, NULL, 1000);
  RETURN NULL;
END $$;

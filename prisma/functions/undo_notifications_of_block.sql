-- A block takes back what both accounts were notified of by each other: at once no more than 1000 events of each.
CREATE OR REPLACE FUNCTION undo_notifications_of_block() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(notification_lock(NEW.blocker_id, NEW.blocked_id));
  PERFORM undo_events_of(NEW.blocker_id, NEW.blocked_id, 1000), undo_events_of(NEW.blocked_id, NEW.blocker_id, 1000);
  RETURN NULL;
END $$;

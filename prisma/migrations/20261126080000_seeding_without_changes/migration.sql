-- A transaction that sets rookery.seeding to on writes no changes.
CREATE OR REPLACE TRIGGER add_change AFTER INSERT ON publications FOR EACH ROW
  WHEN (current_setting('rookery.seeding', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION add_change_of_publication();

CREATE OR REPLACE TRIGGER add_change AFTER INSERT OR DELETE ON likes FOR EACH ROW
  WHEN (current_setting('rookery.seeding', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION add_change_of_like();

CREATE OR REPLACE TRIGGER add_change AFTER INSERT OR DELETE ON follows FOR EACH ROW
  WHEN (current_setting('rookery.seeding', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION add_change_of_follow();

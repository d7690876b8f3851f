-- CreateEnum
CREATE TYPE "change_kind" AS ENUM ('PUBLISHED', 'EDITED', 'DELETED', 'LIKED', 'UNLIKED', 'FOLLOWED', 'UNFOLLOWED');

-- The id of a change: its transaction, its number and 32 random bits. Ids are in the order of the transactions, so that all changes
-- before the first transaction that is still open are known. It is declared immutable because it is stored when the row is inserted.
CREATE FUNCTION change_id(number bigint) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (lpad(to_hex(pg_current_xact_id()::text::bigint), 12, '0') || lpad(to_hex(number), 12, '0')
    || left(gen_random_uuid()::text, 8))::uuid;
END $$;

-- The id is generated and not a default, so a dump does not contain it: changes that are restored get ids of the new database, in the same
-- order, and cursors from before the restoration name none of them.
CREATE TABLE "changes" (
    "id" UUID NOT NULL GENERATED ALWAYS AS (change_id("number")) STORED,
    "number" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" "change_kind" NOT NULL,
    "actor_id" UUID,
    "publication_id" UUID,
    "parent_id" UUID,
    "user_id" UUID,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("id")
);

-- A first change, of nothing, so that there always is one for a cursor to name.
INSERT INTO changes (kind) VALUES ('FOLLOWED');

-- What the ids of all changes are below that readers may see: those of transactions before the first one that is still open. Others may
-- be followed by changes with lower ids.
CREATE FUNCTION change_horizon() RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The id of a change that is stored, null for null. Otherwise raises no_data_found.
CREATE FUNCTION known_change(change uuid) RETURNS uuid LANGUAGE plpgsql STABLE STRICT AS $$
DECLARE
  known uuid;
BEGIN
  SELECT c.id INTO STRICT known FROM changes c WHERE c.id = change;
  RETURN known;
END $$;

-- The functions of the triggers run as their owner, in this schema: who writes needs no rights on changes, and may use any search path.
CREATE FUNCTION add_change_of_publication() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO changes (kind, actor_id, publication_id, parent_id) VALUES (
    CASE WHEN TG_OP = 'INSERT' THEN 'PUBLISHED' WHEN NEW.deleted_at IS NULL THEN 'EDITED' ELSE 'DELETED' END::change_kind,
    NEW.author_id, NEW.id, NEW.parent_id);
  RETURN NULL;
END $$;

CREATE TRIGGER add_change AFTER INSERT ON publications FOR EACH ROW EXECUTE FUNCTION add_change_of_publication();
CREATE TRIGGER add_change_of_update AFTER UPDATE OF edited_at, deleted_at ON publications FOR EACH ROW
  WHEN (NEW.edited_at IS DISTINCT FROM OLD.edited_at OR NEW.deleted_at IS DISTINCT FROM OLD.deleted_at)
  EXECUTE FUNCTION add_change_of_publication();

-- Likes of deleted publications are erased without a change, and so are those of accounts that are deleted, which are suspended then.
CREATE FUNCTION add_change_of_like() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (kind, actor_id, publication_id, parent_id)
      SELECT 'LIKED', NEW.user_id, p.id, p.parent_id FROM publications p WHERE p.id = NEW.publication_id;
  ELSE
    INSERT INTO changes (kind, actor_id, publication_id, parent_id)
      SELECT 'UNLIKED', u.id, p.id, p.parent_id FROM publications p, users u
      WHERE p.id = OLD.publication_id AND p.deleted_at IS NULL AND u.id = OLD.user_id AND u.suspended_at IS NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER add_change AFTER INSERT OR DELETE ON likes FOR EACH ROW EXECUTE FUNCTION add_change_of_like();

-- What an account follows is erased without a change when it is deleted, while it is suspended.
CREATE FUNCTION add_change_of_follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO changes (kind, actor_id, user_id) VALUES ('FOLLOWED', NEW.follower_id, NEW.followee_id);
  ELSE
    INSERT INTO changes (kind, actor_id, user_id)
      SELECT 'UNFOLLOWED', OLD.follower_id, OLD.followee_id
      WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = OLD.follower_id AND u.suspended_at IS NOT NULL);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER add_change AFTER INSERT OR DELETE ON follows FOR EACH ROW EXECUTE FUNCTION add_change_of_follow();

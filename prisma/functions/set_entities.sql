-- Replaces the mentions and hashtags of publications, which are locked, by those that the JSON of `entitiesIn` has. Without it, they have none.
-- Usernames that name nobody, and those of accounts that are hidden from the author, are text. Users are locked in the order of their ids,
-- and after them hashtags, whose publications are counted. A hashtag that no publication has any more is removed.
CREATE OR REPLACE FUNCTION set_entities(changed uuid[], author uuid, entities text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mentioned jsonb := entities::jsonb->'mentions';
  tagged jsonb := entities::jsonb->'hashtags';
  before uuid[];
  tag record;
BEGIN
  PERFORM FROM users u WHERE u.id IN (SELECT user_named(m.username) FROM jsonb_to_recordset(mentioned) m(username text))
    ORDER BY u.id FOR KEY SHARE;
  WITH named AS MATERIALIZED (
      SELECT p.id AS publication_id, u.id AS user_id, m.start, m."end"
      FROM unnest(changed) p(id), jsonb_to_recordset(mentioned) m(start int, "end" int, username text)
        JOIN users u ON u.id = user_named(m.username)
      WHERE NOT EXISTS (SELECT FROM hidings h WHERE h.viewer_id = author AND h.hidden_id = u.id)
      ORDER BY m.start LIMIT 20),
    added AS (
      INSERT INTO mentions (publication_id, user_id, range_start, range_end) SELECT * FROM named
        ON CONFLICT (publication_id, user_id, range_start) DO UPDATE SET range_end = EXCLUDED.range_end
          WHERE mentions.range_end <> EXCLUDED.range_end)
  DELETE FROM mentions m WHERE m.publication_id = ANY (changed)
    AND NOT EXISTS (SELECT FROM named n WHERE n.user_id = m.user_id AND n.start = m.range_start);

  WITH gone AS (DELETE FROM hashtag_uses u WHERE u.publication_id = ANY (changed) RETURNING u.hashtag_id, u.is_first)
    SELECT array_agg(g.hashtag_id) INTO before FROM gone g WHERE g.is_first;
  FOR tag IN
    SELECT c.id, max(c.name) AS name, sum(c.change)::int AS change FROM (
      SELECT unnest(before) AS id, NULL AS name, -1 AS change
      UNION ALL SELECT DISTINCT h.id, h.name, 1 FROM jsonb_to_recordset(tagged) h(id uuid, name text)) c
    GROUP BY c.id HAVING sum(c.change) <> 0 ORDER BY c.id
  LOOP
    IF tag.change > 0 THEN
      INSERT INTO hashtags (id, name, publication_count) VALUES (tag.id, tag.name, tag.change)
        ON CONFLICT (id) DO UPDATE SET publication_count = hashtags.publication_count + EXCLUDED.publication_count;
    ELSE
      UPDATE hashtags h SET publication_count = h.publication_count + tag.change WHERE h.id = tag.id;
      DELETE FROM hashtags h WHERE h.id = tag.id AND h.publication_count = 0;
    END IF;
  END LOOP;
  INSERT INTO hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_first)
    SELECT p.id, h.id, h.start, h."end", row_number() OVER (PARTITION BY h.id ORDER BY h.start) = 1
    FROM unnest(changed) p(id), jsonb_to_recordset(tagged) h(id uuid, start int, "end" int);
END $$;

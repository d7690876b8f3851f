-- Replaces the mentions and hashtags of publications, which are locked, by those in the JSON of `entitiesIn`. Without it, removes them.
-- Locks users in the order of their ids, and after them hashtags, whose publications are counted. Removes hashtags that no publication has
-- any more. Only publications for everybody are listed (`is_listed`); others are counted apart. Accounts that do not see the publication
-- are not mentioned. In a request, mentioned users are notified, unless they were mentioned before, or it replies to them or quotes them. An
-- edit that moves a mention keeps its notice key.
CREATE OR REPLACE FUNCTION set_entities(changed uuid[], author uuid, entities text, cause text DEFAULT 'request')
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  mentioned jsonb := entities::jsonb->'mentions';
  tagged jsonb := entities::jsonb->'hashtags';
  listed uuid[];
  others uuid[];
  is_listed boolean;
  tag record;
BEGIN
  PERFORM FROM users u WHERE u.id IN (SELECT user_named(m.username) FROM jsonb_to_recordset(mentioned) m(username text))
    ORDER BY u.id FOR KEY SHARE;
  WITH named AS MATERIALIZED (
      SELECT p.id AS publication_id, m.*, row_number() OVER (PARTITION BY p.id, m.user_id ORDER BY m.range_start) AS place
      FROM publications p, users_mentioned(author, entities) m
      WHERE p.id = ANY (changed)
        AND EXISTS (SELECT FROM readable(m.user_id, p.author_id, p.audience, p.circle_id, p.parent_author_id) r WHERE r)),
    known AS MATERIALIZED (
      SELECT m.publication_id, m.user_id, (array_agg(m.notice_key ORDER BY m.notice_key))[1] AS notice_key FROM mentions m
      WHERE m.publication_id = ANY (changed) GROUP BY m.publication_id, m.user_id),
    wanted AS MATERIALIZED (
      SELECT n.*, k.user_id IS NULL AS is_new, CASE
        WHEN n.place > 1 THEN NULL WHEN k.user_id IS NOT NULL THEN k.notice_key
        WHEN cause = 'request' AND n.user_id <> author AND n.user_id IS DISTINCT FROM p.parent_author_id
          AND n.user_id IS DISTINCT FROM p.quoted_author_id THEN notification_key()
        END AS notice_key
      FROM named n JOIN publications p ON p.id = n.publication_id
        LEFT JOIN known k ON k.publication_id = n.publication_id AND k.user_id = n.user_id),
    added AS (
      INSERT INTO mentions (publication_id, user_id, range_start, range_end, notice_key)
        SELECT w.publication_id, w.user_id, w.range_start, w.range_end, w.notice_key FROM wanted w
        ON CONFLICT (publication_id, user_id, range_start) DO UPDATE SET range_end = EXCLUDED.range_end, notice_key = EXCLUDED.notice_key
          WHERE (mentions.range_end, mentions.notice_key) IS DISTINCT FROM (EXCLUDED.range_end, EXCLUDED.notice_key)),
    gone AS (
      DELETE FROM mentions m WHERE m.publication_id = ANY (changed)
        AND NOT EXISTS (SELECT FROM named n WHERE n.user_id = m.user_id AND n.range_start = m.range_start))
  INSERT INTO changes (kind, actor_id, publication_id, recipient_id)
    SELECT 'NOTIFIED'::change_kind, author, w.publication_id, w.user_id FROM wanted w WHERE w.is_new AND w.notice_key IS NOT NULL
    UNION ALL SELECT 'NOTIFIED', p.author_id, NULL, k.user_id FROM known k JOIN publications p ON p.id = k.publication_id
      WHERE k.notice_key IS NOT NULL
        AND NOT EXISTS (SELECT FROM named n WHERE n.publication_id = k.publication_id AND n.user_id = k.user_id);

  is_listed := EXISTS (SELECT FROM publications p WHERE p.id = ANY (changed) AND p.audience = 'EVERYBODY');
  WITH gone AS (
      DELETE FROM hashtag_uses u WHERE u.publication_id = ANY (changed) RETURNING u.publication_id, u.hashtag_id, u.is_listed),
    used AS (SELECT g.hashtag_id, bool_or(g.is_listed) AS is_listed FROM gone g GROUP BY g.publication_id, g.hashtag_id)
    SELECT array_agg(u.hashtag_id) FILTER (WHERE u.is_listed), array_agg(u.hashtag_id) FILTER (WHERE NOT u.is_listed)
      INTO listed, others FROM used u;
  FOR tag IN
    SELECT c.id, max(c.name) AS name, sum(c.listed)::int AS listed, sum(c.others)::int AS others FROM (
      SELECT unnest(listed) AS id, NULL AS name, -1 AS listed, 0 AS others
      UNION ALL SELECT unnest(others), NULL, 0, -1
      UNION ALL SELECT DISTINCT h.id, h.name, is_listed::int, 1 - is_listed::int FROM jsonb_to_recordset(tagged) h(id uuid, name text)) c
    GROUP BY c.id HAVING sum(c.listed) <> 0 OR sum(c.others) <> 0 ORDER BY c.id
  LOOP
    IF tag.listed > 0 OR tag.others > 0 THEN
      INSERT INTO hashtags (id, name, publication_count, other_count) VALUES (tag.id, tag.name, tag.listed, tag.others)
        ON CONFLICT (id) DO UPDATE SET publication_count = hashtags.publication_count + EXCLUDED.publication_count,
          other_count = hashtags.other_count + EXCLUDED.other_count;
    ELSE
      UPDATE hashtags h SET publication_count = h.publication_count + tag.listed, other_count = h.other_count + tag.others
        WHERE h.id = tag.id;
      DELETE FROM hashtags h WHERE h.id = tag.id AND h.publication_count = 0 AND h.other_count = 0;
    END IF;
  END LOOP;
  INSERT INTO hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_listed)
    SELECT p.id, h.id, h.start, h."end", is_listed AND row_number() OVER (PARTITION BY h.id ORDER BY h.start) = 1
    FROM unnest(changed) p(id), jsonb_to_recordset(tagged) h(id uuid, start int, "end" int);
END $$;

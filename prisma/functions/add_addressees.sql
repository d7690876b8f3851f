-- Adds who sees a new publication for addressees: its author, the author of its parent, and the accounts that it mentions, if they see the
-- parent. `entities` are as in set_entities.
CREATE OR REPLACE FUNCTION add_addressees(publication uuid, parent uuid, author uuid, parent_author uuid, entities text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO addressees (publication_id, user_id)
    SELECT publication, author
    UNION SELECT publication, parent_author WHERE parent_author IS NOT NULL
    UNION SELECT publication, m.user_id FROM users_mentioned(author, entities) m
      WHERE parent IS NULL OR EXISTS (
        SELECT FROM publications p, readable(m.user_id, p.author_id, p.audience, p.circle_id, p.parent_author_id) r
        WHERE p.id = parent AND r);
END $$;

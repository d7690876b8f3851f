-- Returns the events that a user is notified of, with notice keys between two others, of these kinds or of all: the newest, at most `most`.
-- It is inlined, and merges the indexes of the notice keys, so that it reads only as many rows as are fetched.
CREATE OR REPLACE FUNCTION notifications_of(recipient uuid, above uuid, below uuid, kinds notification_kind[], most int)
RETURNS TABLE (id uuid, kind notification_kind, actor_id uuid, subject_id uuid, reason text) LANGUAGE sql STABLE AS $$
  (SELECT p.notice_key AS id, 'REPLY'::notification_kind AS kind, p.author_id AS actor_id, p.id AS subject_id, NULL::text AS reason
    FROM publications p WHERE p.parent_author_id = recipient AND p.notice_key > above AND p.notice_key < below AND p.deleted_at IS NULL
      AND (kinds IS NULL OR 'REPLY' = ANY (kinds)) ORDER BY p.notice_key DESC LIMIT most)
  UNION ALL
  (SELECT p.quote_key, 'QUOTE', p.author_id, p.id, NULL
    FROM publications p WHERE p.quoted_author_id = recipient AND p.quote_key > above AND p.quote_key < below AND p.deleted_at IS NULL
      AND (kinds IS NULL OR 'QUOTE' = ANY (kinds)) ORDER BY p.quote_key DESC LIMIT most)
  UNION ALL
  (SELECT m.notice_key, 'MENTION', (SELECT p.author_id FROM publications p WHERE p.id = m.publication_id), m.publication_id, NULL
    FROM mentions m WHERE m.user_id = recipient AND m.notice_key > above AND m.notice_key < below
      AND (kinds IS NULL OR 'MENTION' = ANY (kinds)) ORDER BY m.notice_key DESC LIMIT most)
  ${relationNotices}
  UNION ALL
  (SELECT a.notice_key, 'REMOVED', NULL, a.subject_id, a.reason
    FROM moderation_acts a
    WHERE a.user_id = recipient AND a.notice_key > above AND a.notice_key < below AND a.action = 'PUBLICATION_REMOVED'
      AND (kinds IS NULL OR 'REMOVED' = ANY (kinds)) ORDER BY a.notice_key DESC LIMIT most)
  UNION ALL
  (SELECT a.notice_key, 'WARNED', NULL, a.subject_id, a.reason
    FROM moderation_acts a JOIN publications p ON p.id = a.subject_id AND p.deleted_at IS NULL
    WHERE a.user_id = recipient AND a.notice_key > above AND a.notice_key < below AND a.action = 'PUBLICATION_WARNED'
      AND (kinds IS NULL OR 'WARNED' = ANY (kinds)) ORDER BY a.notice_key DESC LIMIT most)
  ORDER BY id DESC LIMIT most
$$;

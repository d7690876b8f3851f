-- Reports a user or a publication, and stores a copy of it, unless the reporter already has an open report of it. The reporter is locked,
-- so the number of their open reports, at most `most`, is exact. Returns the id of the report, or not_found, own or too_many.
CREATE OR REPLACE FUNCTION send_report(
  report uuid, viewer uuid, subject uuid, given_reason text, given_comment text, most int)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  earlier uuid;
  reported record;
BEGIN
  PERFORM FROM users u WHERE u.id = viewer FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  SELECT object.*, u.username, u.display_name INTO reported FROM (
    SELECT u.id AS user_id, u.bio AS content FROM users u WHERE u.id = subject
    UNION ALL SELECT p.author_id, concat('${warningMarks.before}' || p.warning || '${warningMarks.after}', p.content)
      FROM live_publications p
      WHERE p.id = subject AND NOT EXISTS (SELECT FROM blocked_pairs h WHERE h.viewer_id = viewer AND h.hidden_id = p.author_id)
        AND EXISTS (SELECT FROM readable(viewer, p.author_id, p.audience, p.circle_id, p.parent_author_id) r WHERE r)) object
    JOIN users u ON u.id = object.user_id WHERE NOT EXISTS (SELECT FROM hidden_accounts h WHERE h.user_id = u.id);
  IF NOT FOUND THEN RETURN 'not_found'; END IF;
  IF reported.user_id = viewer THEN RETURN 'own'; END IF;
  SELECT r.id INTO earlier FROM reports r WHERE r.reporter_id = viewer AND r.subject_id = subject AND r.state = 'OPEN';
  IF FOUND THEN RETURN earlier; END IF;
  IF (SELECT count(*) FROM reports r WHERE r.reporter_id = viewer AND r.state = 'OPEN') >= most THEN RETURN 'too_many'; END IF;
  INSERT INTO reports (id, reporter_id, subject_id, user_id, username, display_name, content, reason, comment)
    VALUES (report, viewer, subject, reported.user_id, reported.username, reported.display_name, reported.content,
      given_reason::report_reason, given_comment);
  RETURN report;
END $$;

-- What the Prisma schema cannot express: collations, checks, indexes on expressions, triggers and views of its tables.
-- Names in braces are constants of the code; see sql-files.ts.

-- Names are compared and sorted by their bytes, ignoring only the case of ASCII letters, whatever the locale of the database is. No other
-- index may depend on the locale, either.
ALTER TABLE users
  ALTER COLUMN username TYPE TEXT COLLATE "C",
  ALTER COLUMN email TYPE TEXT COLLATE "C",
  ADD CONSTRAINT users_username_form CHECK (username ~ '${usernameBounds.pattern}'),
  ADD CONSTRAINT users_display_name_length CHECK (char_length(display_name) BETWEEN ${nameBounds.min} AND ${nameBounds.max}),
  ADD CONSTRAINT users_bio_length CHECK (char_length(bio) <= ${bioBounds.max}),
  ALTER COLUMN reading_languages SET NOT NULL,
  ADD CONSTRAINT users_languages CHECK (char_length(language) <= ${languageForm.max} AND cardinality(reading_languages) <= ${maxLanguages}),
  ADD CONSTRAINT users_counters CHECK (${userCounters.check});
CREATE UNIQUE INDEX users_username_key ON users (lower(username));
CREATE INDEX users_search_username ON users ((lower(username) COLLATE "C"));
CREATE TRIGGER keep_username AFTER INSERT OR UPDATE OF username ON users FOR EACH ROW EXECUTE FUNCTION keep_username();
CREATE TRIGGER note_edit BEFORE UPDATE ON users FOR EACH ROW
  WHEN ((OLD.username, OLD.display_name, OLD.bio, OLD.email, OLD.email_verified, OLD.language, OLD.reading_languages)
    IS DISTINCT FROM (NEW.username, NEW.display_name, NEW.bio, NEW.email, NEW.email_verified, NEW.language, NEW.reading_languages))
  EXECUTE FUNCTION note_edit();
-- Only for columns that everybody can see, or whose effects they see, such as the avatar that is made from the e-mail address. Otherwise,
-- others would notice a new password.
CREATE TRIGGER raise_version BEFORE UPDATE ON users FOR EACH ROW
  WHEN ((OLD.username, OLD.display_name, OLD.bio, OLD.email, OLD.language, ${userCounters.old})
    IS DISTINCT FROM (NEW.username, NEW.display_name, NEW.bio, NEW.email, NEW.language, ${userCounters.new}))
  EXECUTE FUNCTION raise_version();

CREATE TRIGGER keep_hidden AFTER UPDATE OF suspended_at ON users FOR EACH ROW EXECUTE FUNCTION keep_hidden_account();
CREATE TRIGGER keep_hidden_of_new AFTER INSERT ON users FOR EACH ROW
  WHEN (NEW.suspended_at IS NOT NULL) EXECUTE FUNCTION keep_hidden_account();
CREATE TRIGGER keep_hidden AFTER INSERT OR DELETE ON pending_accounts FOR EACH ROW EXECUTE FUNCTION keep_hidden_account();
CREATE TRIGGER keep_hidden AFTER INSERT OR DELETE ON account_deletions FOR EACH ROW EXECUTE FUNCTION keep_hidden_account();
CREATE TRIGGER note_private AFTER INSERT OR DELETE ON private_accounts FOR EACH ROW EXECUTE FUNCTION note_private();

ALTER TABLE former_usernames ALTER COLUMN username TYPE TEXT COLLATE "C";
ALTER TABLE pending_accounts ADD CONSTRAINT pending_accounts_reason_length
  CHECK (char_length(reason) BETWEEN ${signUpReasonBounds.min} AND ${signUpReasonBounds.max});
ALTER TABLE invitations ADD CONSTRAINT invitations_uses CHECK (max_uses BETWEEN 1 AND ${maxInvitationUses} AND uses BETWEEN 0 AND max_uses);
ALTER TABLE badges ALTER COLUMN name TYPE TEXT COLLATE "C";

-- Client ids are compared by their bytes. An application has either a client id or an owner.
ALTER TABLE applications
  ALTER COLUMN client_id TYPE TEXT COLLATE "C",
  ALTER COLUMN redirect_uris SET NOT NULL,
  ADD CONSTRAINT applications_name_length CHECK (char_length(name) BETWEEN ${nameBounds.min} AND ${nameBounds.max}),
  ADD CONSTRAINT applications_origin CHECK ((owner_id IS NULL) = (client_id IS NOT NULL));
CREATE TRIGGER raise_version BEFORE UPDATE ON applications FOR EACH ROW EXECUTE FUNCTION raise_version();

-- Applications that moderators refuse, or whose owner is suspended.
ALTER TABLE refused_clients ALTER COLUMN client TYPE TEXT COLLATE "C";
CREATE VIEW refused_applications AS
  SELECT a.id FROM applications a LEFT JOIN users o ON o.id = a.owner_id
  WHERE o.suspended_at IS NOT NULL OR EXISTS (SELECT FROM refused_clients r WHERE r.client IN (a.id::text, a.host));

-- Later times cannot be printed in RFC 3339 or read by every client.
ALTER TABLE access_tokens
  ALTER COLUMN scopes SET NOT NULL,
  ADD CONSTRAINT access_tokens_name_length CHECK (char_length(name) BETWEEN ${nameBounds.min} AND ${nameBounds.max}),
  ADD CONSTRAINT access_tokens_expiry_range CHECK (expires_at < '10000-01-01T00:00:00Z');
ALTER TABLE oauth_grants ALTER COLUMN scopes SET NOT NULL;
ALTER TABLE passkeys
  ALTER COLUMN transports SET NOT NULL,
  ADD CONSTRAINT passkeys_name_length CHECK (char_length(name) BETWEEN ${nameBounds.min} AND ${nameBounds.max});

-- The publications of a deleted account stay as rows without author and content.
ALTER TABLE publications
  ADD CONSTRAINT publications_content_length
    CHECK (CASE WHEN deleted_at IS NULL THEN char_length(content) BETWEEN ${contentBounds.min} AND ${contentBounds.max}
      ELSE content = '' END),
  ADD CONSTRAINT publications_warning_length
    CHECK (CASE WHEN deleted_at IS NULL THEN char_length(warning) BETWEEN ${warningBounds.min} AND ${warningBounds.max}
      ELSE warning IS NULL END),
  ADD CONSTRAINT publications_language CHECK (char_length(language) <= ${languageForm.max} AND deleted_at IS NULL OR language IS NULL),
  ADD CONSTRAINT publications_counters CHECK (reply_count >= 0 AND quote_count >= 0 AND ${publicationCounters.check}),
  ADD CONSTRAINT publications_not_own_parent CHECK (parent_id <> id),
  ADD CONSTRAINT publications_not_own_quote CHECK (quoted_id <> id),
  ADD CONSTRAINT publications_author CHECK (author_id IS NOT NULL OR deleted_at IS NOT NULL),
  ADD CONSTRAINT publications_audience CHECK ((audience = 'EVERYBODY') = (circle_id IS NULL));
-- Each step of a search also reads the list of entries that wait to be added to the index. Now and then, sending a post adds them all.
-- Without this list, each post would take half as long again.
CREATE INDEX publications_search ON publications USING gin (search_terms(tokens, id, author_id)) WITH (gin_pending_list_limit = 128)
  WHERE deleted_at IS NULL;
CREATE TRIGGER set_root BEFORE INSERT ON publications FOR EACH ROW EXECUTE FUNCTION set_root_of_publication();
CREATE TRIGGER raise_version BEFORE UPDATE ON publications FOR EACH ROW EXECUTE FUNCTION raise_version();

-- Reads use this view, so a forgotten condition cannot reveal deleted publications.
CREATE VIEW live_publications AS
  SELECT id, parent_id, author_id, application_id, content, warning, language, locked, quotable, reply_count, quote_count,
    ${publicationCounters.columns}, created_at, edited_at, version, root_id, audience, circle_id, parent_author_id, quoted_id
  FROM publications
  WHERE deleted_at IS NULL;

CREATE VIEW timeline_items AS
  SELECT id, author_id, id AS publication_id
    FROM live_publications WHERE parent_id IS NULL AND audience <> 'ADDRESSED'
  UNION ALL SELECT id, user_id, publication_id FROM reposts;

ALTER TABLE hashtags ADD CONSTRAINT hashtags_counters CHECK (publication_count >= 0 AND other_count >= 0);
ALTER TABLE follows ADD CONSTRAINT follows_not_self CHECK (follower_id <> followee_id);
ALTER TABLE follow_requests ADD CONSTRAINT follow_requests_not_self CHECK (requester_id <> requested_id);

-- The change feed. The functions that send publications or change relations write their changes themselves.
-- With an identity column, writers need no privileges on its sequence.
ALTER TABLE changes ALTER COLUMN number DROP DEFAULT;
DROP SEQUENCE changes_number_seq;
ALTER TABLE changes ALTER COLUMN number ADD GENERATED BY DEFAULT AS IDENTITY;
CREATE TRIGGER add_change AFTER UPDATE OF edited_at, deleted_at, quoted_id ON publications FOR EACH ROW
  WHEN ((NEW.edited_at, NEW.deleted_at, NEW.quoted_id) IS DISTINCT FROM (OLD.edited_at, OLD.deleted_at, OLD.quoted_id))
  EXECUTE FUNCTION add_change_of_publication();
CREATE TRIGGER add_change AFTER UPDATE ON users FOR EACH ROW WHEN (NEW.edited_at IS DISTINCT FROM OLD.edited_at)
  EXECUTE FUNCTION add_change_of_profile();
-- An empty first change, so that a cursor always has a change to refer to.
INSERT INTO changes (kind) VALUES ('FOLLOWED');

ALTER TABLE oauth_records ALTER COLUMN kind TYPE TEXT COLLATE "C";

ALTER TABLE jobs ALTER COLUMN kind TYPE TEXT COLLATE "C", ALTER COLUMN key TYPE TEXT COLLATE "C";

ALTER TABLE trusted_documents
  ALTER COLUMN hash TYPE TEXT COLLATE "C",
  ALTER COLUMN tool TYPE TEXT COLLATE "C",
  ALTER COLUMN operations SET NOT NULL,
  ADD CONSTRAINT trusted_documents_hash_form CHECK (hash = encode(sha256(convert_to(source, 'UTF8')), 'hex'));

ALTER TABLE reports
  ADD CONSTRAINT reports_comment_length CHECK (char_length(comment) <= ${commentBounds.max}),
  ADD CONSTRAINT reports_note_length CHECK (char_length(note) <= ${reasonBounds.max}),
  ADD CONSTRAINT reports_state CHECK ((state = 'CLOSED') = (closed_at IS NOT NULL));

ALTER TABLE appeals
  ADD CONSTRAINT appeals_text_length CHECK (char_length(text) BETWEEN ${appealBounds.min} AND ${appealBounds.max}),
  ADD CONSTRAINT appeals_answer_length CHECK (char_length(answer) <= ${reasonBounds.max}),
  ADD CONSTRAINT appeals_state CHECK ((state = 'OPEN') = (answered_at IS NULL));

ALTER TABLE moderation_acts ADD CONSTRAINT moderation_acts_reason_length CHECK (char_length(reason) <= ${reasonBounds.max});
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON moderation_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log();

-- The notifications of all users. Pages call the function instead.
CREATE VIEW notifications AS
  SELECT n.id, u.id AS user_id, n.kind, n.actor_id, n.subject_id, n.reason
  FROM users u, notifications_of(u.id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL, NULL) n;

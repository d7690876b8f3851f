-- CreateEnum
CREATE TYPE "report_reason" AS ENUM ('SPAM', 'ABUSE', 'ILLEGAL', 'OTHER');

-- CreateEnum
CREATE TYPE "report_state" AS ENUM ('OPEN', 'CLOSED');

-- CreateEnum
CREATE TYPE "moderation_action" AS ENUM ('USER_SUSPENDED', 'USER_REINSTATED', 'USER_PROMOTED', 'USER_DEMOTED', 'PUBLICATION_REMOVED', 'REPORT_CLOSED');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "moderator_since" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "reports" (
    "id" UUID NOT NULL,
    "reporter_id" UUID,
    "subject_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "username" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "reason" "report_reason" NOT NULL,
    "comment" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "state" "report_state" NOT NULL DEFAULT 'OPEN',
    "closed_at" TIMESTAMPTZ(3),
    "closed_by" UUID,
    "note" TEXT,

    CONSTRAINT "reports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "moderation_acts" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor_id" UUID,
    "action" "moderation_action" NOT NULL,
    "subject_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "username" TEXT NOT NULL,
    "reason" TEXT,

    CONSTRAINT "moderation_acts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "reports_reporter_id_idx" ON "reports"("reporter_id");

-- CreateIndex
CREATE INDEX "reports_state_id_idx" ON "reports"("state", "id" DESC);

-- CreateIndex
CREATE INDEX "reports_closed_at_idx" ON "reports"("closed_at");

-- CreateIndex
CREATE UNIQUE INDEX "reports_open" ON "reports"("reporter_id", "subject_id") WHERE (state = 'OPEN'::report_state);

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_fkey" FOREIGN KEY ("reporter_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- The moderation log is only added to.
CREATE OR REPLACE FUNCTION refuse_change_of_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The moderation log can only be added to.';
END $$;

-- Sends a publication under an id that its client made, so that it can be sent again: the same content, lock and parent by the same author
-- change nothing, and also return sent. Otherwise returns locked or not_found for the parent, or taken for the id, which may be that of a
-- user. A post waits for no row but one with its own id. A reply locks its parent first, as send_publication does.
CREATE OR REPLACE FUNCTION send_publication_once(
  publication uuid, parent uuid, author uuid, application uuid, new_content text, new_locked boolean)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  obstacle text;
BEGIN
  IF parent IS NOT NULL THEN
    SELECT CASE WHEN p.deleted_at IS NOT NULL THEN 'not_found' WHEN p.locked AND p.author_id <> author THEN 'locked' END
      INTO obstacle FROM publications p WHERE p.id = parent FOR NO KEY UPDATE;
    IF NOT FOUND THEN obstacle := 'not_found'; END IF;
  END IF;
  INSERT INTO publications (id, parent_id, author_id, application_id, content, locked)
    SELECT publication, parent, author, application, new_content, new_locked
    WHERE obstacle IS NULL AND parent IS DISTINCT FROM publication
      AND NOT EXISTS (SELECT FROM users u WHERE u.id = publication)
    ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN
    IF parent IS NOT NULL THEN
      UPDATE publications p SET reply_count = p.reply_count + 1 WHERE p.id = parent;
    END IF;
    RETURN 'sent';
  END IF;
  PERFORM FROM publications p
    WHERE p.id = publication AND p.deleted_at IS NULL AND p.author_id = author AND p.parent_id IS NOT DISTINCT FROM parent
      AND p.content = new_content AND p.locked = new_locked;
  RETURN CASE WHEN FOUND THEN 'sent' ELSE coalesce(obstacle, 'taken') END;
END $$;

-- Reports a user or a publication, and keeps what it is like now, unless the reporter has an open report of it already. The reporter is
-- locked, so the number of their open reports, which is at most `most`, is exact. Returns the id of the report, or not_found, own or
-- too_many.
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
    UNION ALL SELECT p.author_id, p.content FROM live_publications p WHERE p.id = subject) object
    JOIN users u ON u.id = object.user_id;
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

CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON moderation_acts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_log();

ALTER TABLE reports
  ADD CONSTRAINT reports_comment_length CHECK (char_length(comment) <= 1000),
  ADD CONSTRAINT reports_note_length CHECK (char_length(note) <= 1000),
  ADD CONSTRAINT reports_state CHECK ((state = 'CLOSED') = (closed_at IS NOT NULL));

ALTER TABLE moderation_acts
  ADD CONSTRAINT moderation_acts_reason_length CHECK (char_length(reason) <= 1000);

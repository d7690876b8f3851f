-- A suspended account cannot sign in, and its tokens are refused.
ALTER TABLE "users" ADD COLUMN "suspended_at" TIMESTAMPTZ(3);

-- The publications of a deleted account stay as tombstones without an author.
ALTER TABLE "publications" ALTER COLUMN "author_id" DROP NOT NULL;
ALTER TABLE publications
  ADD CONSTRAINT publications_author CHECK (author_id IS NOT NULL OR deleted_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "publications_newest_replies_of_author" ON "publications"("author_id", "id" DESC) WHERE (parent_id IS NOT NULL) AND (deleted_at IS NULL);

-- Deleting an account or an application finds what refers to it, in whatever state that is.
-- CreateIndex
CREATE INDEX "publications_author_id_idx" ON "publications"("author_id");

-- CreateIndex
CREATE INDEX "publications_application_id_idx" ON "publications"("application_id") WHERE (application_id IS NOT NULL);

-- CreateTable
CREATE TABLE "like_erasures" (
    "publication_id" UUID NOT NULL,

    CONSTRAINT "like_erasures_pkey" PRIMARY KEY ("publication_id")
);

-- AddForeignKey
ALTER TABLE "like_erasures" ADD CONSTRAINT "like_erasures_publication_id_fkey" FOREIGN KEY ("publication_id") REFERENCES "publications"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

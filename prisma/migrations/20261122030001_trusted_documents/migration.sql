-- CreateTable
CREATE TABLE "trusted_documents" (
    "id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "operations" TEXT[],
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trusted_documents_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "trusted_documents_hash_key" ON "trusted_documents"("hash");

ALTER TABLE trusted_documents
  ALTER COLUMN operations SET NOT NULL,
  ADD CONSTRAINT trusted_documents_hash_form CHECK (hash = encode(sha256(convert_to(source, 'UTF8')), 'hex'));

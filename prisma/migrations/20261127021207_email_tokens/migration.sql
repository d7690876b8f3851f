-- CreateEnum
CREATE TYPE "email_token_kind" AS ENUM ('VERIFY', 'CHANGE', 'REVERT', 'RESET');

-- CreateTable
CREATE TABLE "email_tokens" (
    "hash" BYTEA NOT NULL,
    "kind" "email_token_kind" NOT NULL,
    "user_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_tokens_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "email_tokens_user_id_idx" ON "email_tokens"("user_id");

-- CreateIndex
CREATE INDEX "email_tokens_expires_at_idx" ON "email_tokens"("expires_at");

-- AddForeignKey
ALTER TABLE "email_tokens" ADD CONSTRAINT "email_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- For who has forgotten a password.
CREATE INDEX users_email ON users (lower(email));

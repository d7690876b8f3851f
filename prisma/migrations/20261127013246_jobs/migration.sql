-- CreateTable
CREATE TABLE "jobs" (
    "kind" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("kind","key")
);

-- CreateIndex
CREATE INDEX "jobs_due_at_idx" ON "jobs"("due_at");

ALTER TABLE jobs ALTER COLUMN kind TYPE TEXT COLLATE "C", ALTER COLUMN key TYPE TEXT COLLATE "C";

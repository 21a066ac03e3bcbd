-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('queued', 'delivered', 'failed', 'given-up');

-- AlterTable
ALTER TABLE "lock_grant" ADD COLUMN     "told_cap_at" TIMESTAMPTZ(6),
ADD COLUMN     "told_ends_soon_at" TIMESTAMPTZ(6),
ADD COLUMN     "told_silent_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "container_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "allow_private" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "created_by" UUID,
    "last_state" "delivery_state",
    "last_at" TIMESTAMPTZ(6),
    "off_reason" TEXT,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "payload" JSON NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "state" "delivery_state" NOT NULL DEFAULT 'queued',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6),
    "last_at" TIMESTAMPTZ(6),
    "status" INTEGER,
    "error" TEXT,
    "excerpt" TEXT,

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_container_id_idx" ON "webhook"("container_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_at_idx" ON "webhook_delivery"("webhook_id", "at");

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What only SQL can say ------------------------------------------------------------------

-- Instances look every two seconds for what time alone has brought: only grants that can still bring it.
CREATE INDEX "lock_grant_untold" ON "lock_grant" ("container_id", "number") WHERE "ended_at" IS NULL AND "told_silent_at" IS NULL;

-- The inbox: what is unread, newest first.
CREATE INDEX "notice_unread" ON "notice" ("principal_id", "at") WHERE "read_at" IS NULL;

ALTER TABLE "webhook" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id"), ADD FOREIGN KEY ("created_by") REFERENCES "principal" ("id");
CREATE INDEX "webhook_delivery_due" ON "webhook_delivery" ("next_at") WHERE "next_at" IS NOT NULL;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_next" CHECK (("state" IN ('queued', 'failed')) = ("next_at" IS NOT NULL));

-- CreateEnum
CREATE TYPE "pass_state" AS ENUM ('running', 'completed', 'aborted');

-- CreateEnum
CREATE TYPE "pass_end" AS ENUM ('invalidated', 'operator-interrupt', 'crash', 'manual-stop', 'grant-superseded');

-- CreateEnum
CREATE TYPE "clause_type" AS ENUM ('machine', 'attested');

-- CreateEnum
CREATE TYPE "clause_status" AS ENUM ('pending', 'running', 'pass', 'fail', 'awaiting-attestation', 'insufficient-basis', 'unevaluated');

-- CreateEnum
CREATE TYPE "amendment_state" AS ENUM ('queued', 'committing', 'committed', 'needs-rejustification', 'failed');

-- CreateTable
CREATE TABLE "grid" (
    "container_id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "amendments" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "grid_pkey" PRIMARY KEY ("container_id")
);

-- CreateTable
CREATE TABLE "grid_version" (
    "container_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "grid" JSONB NOT NULL,
    "author_id" UUID,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "amendment_id" UUID,

    CONSTRAINT "grid_version_pkey" PRIMARY KEY ("container_id","version")
);

-- CreateTable
CREATE TABLE "arrow" (
    "container_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "pass_id" UUID,
    "invalidated" BOOLEAN NOT NULL DEFAULT false,
    "conservative" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "arrow_pkey" PRIMARY KEY ("container_id","id")
);

-- CreateTable
CREATE TABLE "pass" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "container_id" UUID NOT NULL,
    "arrow_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "context" TEXT NOT NULL,
    "grid_version" INTEGER NOT NULL,
    "grant" BIGINT NOT NULL,
    "state" "pass_state" NOT NULL DEFAULT 'running',
    "reason" "pass_end",
    "starter_id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "instance_id" UUID,

    CONSTRAINT "pass_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "clause" (
    "pass_id" UUID NOT NULL,
    "id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "concept" TEXT NOT NULL,
    "type" "clause_type" NOT NULL,
    "status" "clause_status" NOT NULL DEFAULT 'pending',
    "reason" TEXT,
    "moves" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "clause_pkey" PRIMARY KEY ("pass_id","id")
);

-- CreateTable
CREATE TABLE "transition" (
    "pass_id" UUID NOT NULL,
    "clause_id" TEXT NOT NULL,
    "move" INTEGER NOT NULL,
    "from" "clause_status" NOT NULL,
    "to" "clause_status" NOT NULL,
    "author_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "reason" TEXT,
    "details" JSONB,

    CONSTRAINT "transition_pkey" PRIMARY KEY ("pass_id","clause_id","move")
);

-- CreateTable
CREATE TABLE "attestation" (
    "pass_id" UUID NOT NULL,
    "clause_id" TEXT NOT NULL,
    "move" INTEGER NOT NULL,
    "verdict" "clause_status" NOT NULL,
    "by_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "reason" TEXT,
    "details" JSONB,

    CONSTRAINT "attestation_pkey" PRIMARY KEY ("pass_id","clause_id","move")
);

-- CreateTable
CREATE TABLE "checkpoint_chain" (
    "container_id" UUID NOT NULL,
    "count" BIGINT NOT NULL DEFAULT 0,
    "head" TEXT NOT NULL,
    "verified" BIGINT NOT NULL DEFAULT 0,
    "verified_digest" TEXT NOT NULL,
    "acknowledged" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "checkpoint_chain_pkey" PRIMARY KEY ("container_id")
);

-- CreateTable
CREATE TABLE "checkpoint" (
    "container_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "previous_digest" TEXT NOT NULL,
    "digest" TEXT NOT NULL,

    CONSTRAINT "checkpoint_pkey" PRIMARY KEY ("container_id","sequence")
);

-- CreateTable
CREATE TABLE "role_lock" (
    "container_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "context" TEXT NOT NULL,
    "pass_id" UUID NOT NULL,

    CONSTRAINT "role_lock_pkey" PRIMARY KEY ("container_id","role","context")
);

-- CreateTable
CREATE TABLE "grid_write_lock" (
    "container_id" UUID NOT NULL,
    "amendment_id" UUID,
    "instance_id" UUID NOT NULL,
    "taken_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "grid_write_lock_pkey" PRIMARY KEY ("container_id")
);

-- CreateTable
CREATE TABLE "amendment" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "container_id" UUID NOT NULL,
    "place" INTEGER NOT NULL,
    "author_id" UUID NOT NULL,
    "grant" BIGINT,
    "base_version" INTEGER NOT NULL,
    "changes" JSONB NOT NULL,
    "grid" JSONB NOT NULL,
    "rationale" TEXT NOT NULL,
    "state" "amendment_state" NOT NULL DEFAULT 'queued',
    "version" INTEGER,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "decided_at" TIMESTAMPTZ(6),
    "arrows" JSONB NOT NULL DEFAULT '[]',
    "outcome" TEXT,

    CONSTRAINT "amendment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "instance" (
    "id" UUID NOT NULL,
    "host" TEXT NOT NULL,
    "boot_id" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "process_start" TEXT NOT NULL,
    "backend_pid" INTEGER NOT NULL,
    "backend_start" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "ended_by" TEXT,
    "missing_since" TIMESTAMPTZ(6),
    "missing_under" TEXT,

    CONSTRAINT "instance_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery" (
    "id" BIGSERIAL NOT NULL,
    "instance_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "steps" JSONB NOT NULL,

    CONSTRAINT "recovery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert" (
    "id" BIGSERIAL NOT NULL,
    "container_id" UUID,
    "kind" TEXT NOT NULL,
    "details" JSONB NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "closed_at" TIMESTAMPTZ(6),

    CONSTRAINT "alert_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "pass_container_id_started_at_idx" ON "pass"("container_id", "started_at");

-- CreateIndex
CREATE INDEX "pass_container_id_arrow_id_idx" ON "pass"("container_id", "arrow_id");

-- CreateIndex
CREATE UNIQUE INDEX "role_lock_pass_id_key" ON "role_lock"("pass_id");

-- CreateIndex
CREATE UNIQUE INDEX "amendment_container_id_place_key" ON "amendment"("container_id", "place");

-- CreateIndex
CREATE INDEX "alert_container_id_idx" ON "alert"("container_id");

-- What only SQL can say ------------------------------------------------------------------

CREATE INDEX "pass_running" ON "pass" ("container_id", "grant") WHERE "state" = 'running';
CREATE INDEX "pass_hosted" ON "pass" ("instance_id") WHERE "state" = 'running';
CREATE INDEX "amendment_queue" ON "amendment" ("container_id", "place") WHERE "state" IN ('queued', 'committing');
CREATE UNIQUE INDEX "alert_open" ON "alert" ("container_id", "kind") NULLS NOT DISTINCT WHERE "closed_at" IS NULL;
CREATE INDEX "instance_living" ON "instance" ("id") WHERE "ended_at" IS NULL;

ALTER TABLE "pass" ADD CONSTRAINT "pass_end" CHECK (("state" = 'running') = ("ended_at" IS NULL) AND ("state" = 'aborted') = ("reason" IS NOT NULL));
ALTER TABLE "checkpoint_chain" ALTER COLUMN "head" SET DEFAULT repeat('0', 64), ALTER COLUMN "verified_digest" SET DEFAULT repeat('0', 64);

ALTER TABLE "grid" ADD FOREIGN KEY ("container_id", "version") REFERENCES "grid_version" ("container_id", "version");
ALTER TABLE "grid_version" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "arrow" ADD FOREIGN KEY ("container_id") REFERENCES "grid" ("container_id"), ADD FOREIGN KEY ("pass_id") REFERENCES "pass" ("id");
ALTER TABLE "pass" ADD FOREIGN KEY ("container_id", "grant") REFERENCES "lock_grant" ("container_id", "number"),
  ADD FOREIGN KEY ("container_id", "grid_version") REFERENCES "grid_version" ("container_id", "version"),
  ADD FOREIGN KEY ("starter_id") REFERENCES "principal" ("id"), ADD FOREIGN KEY ("instance_id") REFERENCES "instance" ("id");
ALTER TABLE "clause" ADD FOREIGN KEY ("pass_id") REFERENCES "pass" ("id");
ALTER TABLE "transition" ADD FOREIGN KEY ("pass_id", "clause_id") REFERENCES "clause" ("pass_id", "id"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "attestation" ADD FOREIGN KEY ("pass_id", "clause_id", "move") REFERENCES "transition" ("pass_id", "clause_id", "move"), ADD FOREIGN KEY ("by_id") REFERENCES "principal" ("id");
ALTER TABLE "checkpoint_chain" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id");
ALTER TABLE "checkpoint" ADD FOREIGN KEY ("container_id") REFERENCES "checkpoint_chain" ("container_id");
ALTER TABLE "role_lock" ADD FOREIGN KEY ("pass_id") REFERENCES "pass" ("id");
ALTER TABLE "grid_write_lock" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id"), ADD FOREIGN KEY ("amendment_id") REFERENCES "amendment" ("id"), ADD FOREIGN KEY ("instance_id") REFERENCES "instance" ("id");
ALTER TABLE "amendment" ADD FOREIGN KEY ("container_id") REFERENCES "grid" ("container_id"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "recovery" ADD FOREIGN KEY ("instance_id") REFERENCES "instance" ("id");
ALTER TABLE "alert" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id");

CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "grid_version" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "transition" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "attestation" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "checkpoint" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

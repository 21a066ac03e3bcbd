-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "principal_kind" AS ENUM ('person', 'agent');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('reader', 'coworker', 'operator');

-- CreateEnum
CREATE TYPE "lock_revision_kind" AS ENUM ('create', 'acquire', 'heartbeat', 'release', 'clear', 'notes', 'reopen');

-- CreateEnum
CREATE TYPE "grant_end" AS ENUM ('release', 'clear', 'silence');

-- CreateEnum
CREATE TYPE "collaboration_kind" AS ENUM ('create', 'notes', 'petition', 'withdraw', 'granted', 'lapsed', 'lease', 'block', 'reclaim');

-- CreateEnum
CREATE TYPE "petition_state" AS ENUM ('waiting', 'granted', 'withdrawn', 'lapsed');

-- CreateEnum
CREATE TYPE "lease_state" AS ENUM ('active', 'reclaimed');

-- CreateEnum
CREATE TYPE "block_state" AS ENUM ('open', 'done', 'returned', 'closed');

-- CreateEnum
CREATE TYPE "draft_state" AS ENUM ('open', 'landed', 'deleted');

-- CreateTable
CREATE TABLE "principal" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "kind" "principal_kind" NOT NULL,
    "role" "role" NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "principal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_token" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "principal_id" UUID NOT NULL,
    "label" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "created_by" UUID,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_token_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_user" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "emailVerified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "auth_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_session" (
    "id" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "token" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    "ipAddress" TEXT,
    "userAgent" TEXT,
    "userId" TEXT NOT NULL,

    CONSTRAINT "auth_session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_account" (
    "id" TEXT NOT NULL,
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "accessToken" TEXT,
    "refreshToken" TEXT,
    "idToken" TEXT,
    "accessTokenExpiresAt" TIMESTAMP(3),
    "refreshTokenExpiresAt" TIMESTAMP(3),
    "scope" TEXT,
    "password" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "auth_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_verification" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "auth_verification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_limit" (
    "key" TEXT NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limit_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "setting" (
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "container" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "number" SERIAL NOT NULL,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "prefix" TEXT NOT NULL,
    "public" BOOLEAN NOT NULL DEFAULT false,
    "term_seconds" INTEGER NOT NULL DEFAULT 14400,
    "window_seconds" INTEGER NOT NULL DEFAULT 900,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "archived_at" TIMESTAMPTZ(6),
    "landings" BIGINT NOT NULL DEFAULT 0,
    "head_digest" TEXT NOT NULL,
    "spent" int8multirange NOT NULL DEFAULT '{}'::int8multirange,
    "system_identifier" TEXT NOT NULL,
    "timeline" TEXT NOT NULL,

    CONSTRAINT "container_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "container_revision" (
    "container_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL,
    "author_id" UUID,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "summary" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "public" BOOLEAN NOT NULL,
    "term_seconds" INTEGER NOT NULL,
    "window_seconds" INTEGER NOT NULL,

    CONSTRAINT "container_revision_pkey" PRIMARY KEY ("container_id","revision")
);

-- CreateTable
CREATE TABLE "lock_page" (
    "container_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "holder_id" UUID,
    "reason" TEXT NOT NULL DEFAULT '',
    "grant" BIGINT NOT NULL DEFAULT 0,
    "next_grant" BIGINT NOT NULL DEFAULT 1,
    "granted_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6),
    "last_beat_at" TIMESTAMPTZ(6),
    "available_since" TIMESTAMPTZ(6),
    "caution_since" TIMESTAMPTZ(6),
    "caution_grant" BIGINT,
    "notes" TEXT NOT NULL DEFAULT '',
    "grant_term_seconds" INTEGER NOT NULL,
    "window_seconds" INTEGER NOT NULL,
    "accepted_evidence" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "lock_page_pkey" PRIMARY KEY ("container_id")
);

-- CreateTable
CREATE TABLE "lock_revision" (
    "container_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL,
    "kind" "lock_revision_kind" NOT NULL,
    "author_id" UUID,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "summary" TEXT NOT NULL,
    "edit_reason" TEXT,
    "holder_id" UUID,
    "reason" TEXT NOT NULL,
    "grant" BIGINT NOT NULL,
    "next_grant" BIGINT NOT NULL,
    "granted_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6),
    "last_beat_at" TIMESTAMPTZ(6),
    "available_since" TIMESTAMPTZ(6),
    "caution_since" TIMESTAMPTZ(6),
    "caution_grant" BIGINT,
    "notes" TEXT,

    CONSTRAINT "lock_revision_pkey" PRIMARY KEY ("container_id","revision")
);

-- CreateTable
CREATE TABLE "lock_grant" (
    "container_id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "holder_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "granted_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "ended_by" "grant_end",
    "pushes" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "lock_grant_pkey" PRIMARY KEY ("container_id","number")
);

-- CreateTable
CREATE TABLE "collaboration_page" (
    "container_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "notes" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "collaboration_page_pkey" PRIMARY KEY ("container_id")
);

-- CreateTable
CREATE TABLE "collaboration_revision" (
    "container_id" UUID NOT NULL,
    "revision" INTEGER NOT NULL,
    "kind" "collaboration_kind" NOT NULL,
    "author_id" UUID,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "summary" TEXT NOT NULL,
    "notes" TEXT,

    CONSTRAINT "collaboration_revision_pkey" PRIMARY KEY ("container_id","revision")
);

-- CreateTable
CREATE TABLE "petition" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "container_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "reason" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "state" "petition_state" NOT NULL DEFAULT 'waiting',
    "at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),
    "grant" BIGINT,
    "missed" INTEGER NOT NULL DEFAULT 0,
    "told_at" TIMESTAMPTZ(6),

    CONSTRAINT "petition_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "container_id" UUID NOT NULL,
    "grant" BIGINT NOT NULL,
    "to_id" UUID NOT NULL,
    "ids" int8range NOT NULL,
    "state" "lease_state" NOT NULL DEFAULT 'active',
    "at" TIMESTAMPTZ(6) NOT NULL,
    "reclaimed_at" TIMESTAMPTZ(6),

    CONSTRAINT "lease_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "block" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "container_id" UUID NOT NULL,
    "grant" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "assignee_id" UUID NOT NULL,
    "lease_id" UUID,
    "state" "block_state" NOT NULL DEFAULT 'open',
    "at" TIMESTAMPTZ(6) NOT NULL,
    "changed_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "block_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "draft" (
    "container_id" UUID NOT NULL,
    "grant" BIGINT NOT NULL,
    "author_id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "state" "draft_state" NOT NULL DEFAULT 'open',
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "landing" BIGINT,

    CONSTRAINT "draft_pkey" PRIMARY KEY ("container_id","grant","author_id","number")
);

-- CreateTable
CREATE TABLE "draft_revision" (
    "container_id" UUID NOT NULL,
    "grant" BIGINT NOT NULL,
    "author_id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "summary" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "draft_revision_pkey" PRIMARY KEY ("container_id","grant","author_id","number","revision")
);

-- CreateTable
CREATE TABLE "landing" (
    "container_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "grant" BIGINT NOT NULL,
    "author_id" UUID NOT NULL,
    "message" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "entries" JSONB NOT NULL,
    "previous_digest" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "reclaimed" JSONB NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "body_digest" TEXT NOT NULL,

    CONSTRAINT "landing_pkey" PRIMARY KEY ("container_id","sequence")
);

-- CreateTable
CREATE TABLE "entry" (
    "container_id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "author_id" UUID NOT NULL,
    "landing" BIGINT NOT NULL,
    "grant" BIGINT NOT NULL,
    "search" tsvector NOT NULL,

    CONSTRAINT "entry_pkey" PRIMARY KEY ("container_id","number")
);

-- CreateTable
CREATE TABLE "entry_revision" (
    "container_id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "revision" INTEGER NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "author_id" UUID NOT NULL,
    "landing" BIGINT NOT NULL,
    "grant" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "digest" TEXT NOT NULL,

    CONSTRAINT "entry_revision_pkey" PRIMARY KEY ("container_id","number","revision")
);

-- CreateTable
CREATE TABLE "audit_line" (
    "id" BIGSERIAL NOT NULL,
    "container_id" UUID,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "actor_id" UUID,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "grant" BIGINT,
    "reason" TEXT,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_line_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notice" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "principal_id" UUID NOT NULL,
    "container_id" UUID,
    "kind" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "at" TIMESTAMPTZ(6) NOT NULL,
    "read_at" TIMESTAMPTZ(6),

    CONSTRAINT "notice_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "principal_name_key_key" ON "principal"("name_key");

-- CreateIndex
CREATE UNIQUE INDEX "api_token_hash_key" ON "api_token"("hash");

-- CreateIndex
CREATE INDEX "api_token_principal_id_idx" ON "api_token"("principal_id");

-- CreateIndex
CREATE UNIQUE INDEX "auth_user_email_key" ON "auth_user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "auth_session_token_key" ON "auth_session"("token");

-- CreateIndex
CREATE INDEX "auth_session_userId_idx" ON "auth_session"("userId");

-- CreateIndex
CREATE INDEX "auth_account_userId_idx" ON "auth_account"("userId");

-- CreateIndex
CREATE INDEX "auth_verification_identifier_idx" ON "auth_verification"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "container_number_key" ON "container"("number");

-- CreateIndex
CREATE UNIQUE INDEX "container_slug_key" ON "container"("slug");

-- CreateIndex
CREATE INDEX "lock_revision_container_id_grant_idx" ON "lock_revision"("container_id", "grant");

-- CreateIndex
CREATE UNIQUE INDEX "petition_container_id_revision_key" ON "petition"("container_id", "revision");

-- CreateIndex
CREATE INDEX "lease_container_id_grant_idx" ON "lease"("container_id", "grant");

-- CreateIndex
CREATE INDEX "block_container_id_grant_idx" ON "block"("container_id", "grant");

-- CreateIndex
CREATE INDEX "draft_container_id_author_id_idx" ON "draft"("container_id", "author_id");

-- CreateIndex
CREATE INDEX "landing_container_id_grant_idx" ON "landing"("container_id", "grant");

-- CreateIndex
CREATE UNIQUE INDEX "landing_container_id_author_id_idempotency_key_key" ON "landing"("container_id", "author_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "entry_search_idx" ON "entry" USING GIN ("search");

-- CreateIndex
CREATE INDEX "entry_revision_container_id_landing_idx" ON "entry_revision"("container_id", "landing");

-- CreateIndex
CREATE INDEX "audit_line_container_id_id_idx" ON "audit_line"("container_id", "id");

-- CreateIndex
CREATE INDEX "audit_line_actor_id_id_idx" ON "audit_line"("actor_id", "id");

-- CreateIndex
CREATE INDEX "notice_principal_id_at_idx" ON "notice"("principal_id", "at");

-- AddForeignKey
ALTER TABLE "api_token" ADD CONSTRAINT "api_token_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auth_session" ADD CONSTRAINT "auth_session_userId_fkey" FOREIGN KEY ("userId") REFERENCES "auth_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auth_account" ADD CONSTRAINT "auth_account_userId_fkey" FOREIGN KEY ("userId") REFERENCES "auth_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "container_revision" ADD CONSTRAINT "container_revision_container_id_fkey" FOREIGN KEY ("container_id") REFERENCES "container"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lock_page" ADD CONSTRAINT "lock_page_container_id_fkey" FOREIGN KEY ("container_id") REFERENCES "container"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lock_grant" ADD CONSTRAINT "lock_grant_container_id_fkey" FOREIGN KEY ("container_id") REFERENCES "container"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "collaboration_page" ADD CONSTRAINT "collaboration_page_container_id_fkey" FOREIGN KEY ("container_id") REFERENCES "container"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "block" ADD CONSTRAINT "block_lease_id_fkey" FOREIGN KEY ("lease_id") REFERENCES "lease"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "landing" ADD CONSTRAINT "landing_container_id_fkey" FOREIGN KEY ("container_id") REFERENCES "container"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "entry" ADD CONSTRAINT "entry_container_id_fkey" FOREIGN KEY ("container_id") REFERENCES "container"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notice" ADD CONSTRAINT "notice_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What only SQL can say ------------------------------------------------------------------

CREATE EXTENSION IF NOT EXISTS btree_gist;

-- T-2: an instant as answers show it.
CREATE FUNCTION "iso"(t TIMESTAMPTZ) RETURNS TEXT LANGUAGE SQL STABLE STRICT PARALLEL SAFE
  RETURN to_char(t AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

-- Section 10: a principal as answers show it; null for what Holdfast did itself.
CREATE FUNCTION "principal_ref"(principal_id UUID) RETURNS JSONB LANGUAGE SQL STABLE STRICT PARALLEL SAFE
  RETURN (SELECT jsonb_build_object('id', p."id", 'name', p."name", 'kind', p."kind") FROM "principal" p WHERE p."id" = principal_id);

-- L-3: no active lease overlaps another, structurally.
ALTER TABLE "lease" ADD CONSTRAINT "lease_active_no_overlap"
  EXCLUDE USING gist ("container_id" WITH =, "ids" WITH &&) WHERE ("state" = 'active');
ALTER TABLE "lease" ADD CONSTRAINT "lease_ids_bounds"
  CHECK (NOT isempty("ids") AND lower("ids") >= 1 AND upper("ids") <= 9007199254740992);

-- Q-2: one waiting petition per principal and container.
CREATE UNIQUE INDEX "petition_one_waiting" ON "petition" ("container_id", "principal_id") WHERE "state" = 'waiting';
CREATE INDEX "petition_queue" ON "petition" ("container_id", "revision") WHERE "state" = 'waiting';
CREATE INDEX "petition_withdrawn" ON "petition" ("container_id", "ended_at") WHERE "state" = 'withdrawn';

ALTER TABLE "container" ADD CONSTRAINT "container_slug_form" CHECK ("slug" ~ '^[a-z0-9](-?[a-z0-9])*$' AND length("slug") <= 64);
ALTER TABLE "container" ADD CONSTRAINT "container_prefix_form" CHECK ("prefix" ~ '^[A-Z]{2,8}$');
ALTER TABLE "container" ADD CONSTRAINT "container_term" CHECK ("term_seconds" BETWEEN 1 AND 86400);
ALTER TABLE "container" ADD CONSTRAINT "container_window" CHECK ("window_seconds" BETWEEN 1 AND 86400);

-- LP-3, LP-4, LP-5: what no code path may ever store.
ALTER TABLE "lock_page" ADD CONSTRAINT "lock_page_grants" CHECK ("grant" >= 0 AND "next_grant" > "grant");
ALTER TABLE "lock_page" ADD CONSTRAINT "lock_page_cap" CHECK ("expires_at" <= "granted_at" + interval '24 hours');
ALTER TABLE "lock_page" ADD CONSTRAINT "lock_page_holder" CHECK ("holder_id" IS NULL OR ("grant" > 0 AND "expires_at" IS NOT NULL AND "granted_at" IS NOT NULL AND "last_beat_at" IS NOT NULL));

ALTER TABLE "container" ALTER COLUMN "head_digest" SET DEFAULT repeat('0', 64);

-- Who and where must exist. Nothing here is ever deleted (P-1, P-2).
ALTER TABLE "lock_page" ADD FOREIGN KEY ("holder_id") REFERENCES "principal" ("id");
ALTER TABLE "lock_revision" ADD FOREIGN KEY ("container_id") REFERENCES "lock_page" ("container_id"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "lock_grant" ADD FOREIGN KEY ("holder_id") REFERENCES "principal" ("id");
ALTER TABLE "container_revision" ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "collaboration_revision" ADD FOREIGN KEY ("container_id") REFERENCES "collaboration_page" ("container_id"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "petition" ADD FOREIGN KEY ("container_id") REFERENCES "collaboration_page" ("container_id"), ADD FOREIGN KEY ("principal_id") REFERENCES "principal" ("id");
ALTER TABLE "lease" ADD FOREIGN KEY ("container_id", "grant") REFERENCES "lock_grant" ("container_id", "number"), ADD FOREIGN KEY ("to_id") REFERENCES "principal" ("id");
ALTER TABLE "block" ADD FOREIGN KEY ("container_id", "grant") REFERENCES "lock_grant" ("container_id", "number"), ADD FOREIGN KEY ("assignee_id") REFERENCES "principal" ("id");
ALTER TABLE "draft" ADD FOREIGN KEY ("container_id", "grant") REFERENCES "lock_grant" ("container_id", "number"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "draft_revision" ADD FOREIGN KEY ("container_id", "grant", "author_id", "number") REFERENCES "draft" ("container_id", "grant", "author_id", "number");
ALTER TABLE "landing" ADD FOREIGN KEY ("container_id", "grant") REFERENCES "lock_grant" ("container_id", "number"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "entry_revision" ADD FOREIGN KEY ("container_id", "landing") REFERENCES "landing" ("container_id", "sequence"), ADD FOREIGN KEY ("author_id") REFERENCES "principal" ("id");
ALTER TABLE "entry" ADD FOREIGN KEY ("container_id", "number", "revision") REFERENCES "entry_revision" ("container_id", "number", "revision");
ALTER TABLE "audit_line" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id"), ADD FOREIGN KEY ("actor_id") REFERENCES "principal" ("id");
ALTER TABLE "notice" ADD FOREIGN KEY ("container_id") REFERENCES "container" ("id");

-- History is only ever added to.
CREATE FUNCTION "refuse_change"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "lock_revision" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "collaboration_revision" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "container_revision" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "draft_revision" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "landing" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "entry_revision" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "append_only" BEFORE UPDATE OR DELETE ON "audit_line" FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

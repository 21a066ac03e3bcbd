import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import pg from 'pg';

/*
 * Prisma's schema engine as WebAssembly. Its usual form is a program that is downloaded at installation; this one comes
 * with the packages, so that migrations run where nothing can be downloaded.
 */

type Glue = typeof import('@prisma/schema-engine-wasm') & { __wbg_set_wasm(exports: WebAssembly.Exports): void };

let loading: Promise<Glue> | undefined;

async function load(): Promise<Glue> {
  const require = createRequire(import.meta.url);
  const glueFile = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = (await import(pathToFileURL(glueFile).href)) as Glue & WebAssembly.ModuleImports;
  // Node 20 cannot import a .wasm file, so the package's own entry does not load there.
  const bytes = readFileSync(join(glueFile, '..', 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  (instance.exports.__wbindgen_start as () => void)();
  return glue;
}

async function withEngine<T>(
  factory: SqlMigrationAwareDriverAdapterFactory,
  datamodel: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await (loading ??= load());
  const engine = await SchemaEngine.new(
    { datamodels: [['schema.prisma', datamodel]] },
    () => undefined,
    bindMigrationAwareSqlAdapterFactory(factory),
  );
  try {
    return await use(engine);
  } finally {
    engine.free();
  }
}

/**
 * Prisma's adapter cuts a script at every semicolon, inside function bodies and comments too, and runs the pieces one by
 * one. This one sends the script whole, as Prisma's downloaded engine does: PostgreSQL then runs it in one transaction.
 */
class WholeScriptAdapter extends PrismaPg {
  constructor(private readonly pool: pg.Pool) {
    super(pool);
  }

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      try {
        await this.pool.query(script);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        const { code = '', severity = 'ERROR', message, detail, column, hint } = error;
        throw new DriverAdapterError({
          kind: 'postgres',
          code,
          severity,
          message,
          detail,
          column,
          hint,
          originalCode: code,
          originalMessage: message,
        });
      }
    };
    return adapter;
  }
}

/**
 * Runs `use` with a schema engine bound to a database over one connection, which ends with the call: the engine leaves
 * its session's locks to that end. `datamodel` is the text of a Prisma schema.
 */
export async function withSchemaEngine<T>(
  connectionString: string,
  datamodel: string,
  use: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ connectionString, max: 1, application_name: 'holdfast migrations' });
  pool.on('error', () => undefined);
  try {
    return await withEngine(new WholeScriptAdapter(pool), datamodel, use);
  } finally {
    await pool.end();
  }
}

/** An adapter to no database, for work that only compares schema files: the engine merely asks it for its version. */
const noDatabase: SqlMigrationAwareDriverAdapterFactory = (() => {
  const nothing = { columnNames: ['version'], columnTypes: [ColumnTypeEnum.Text], rows: [['PostgreSQL 15.0']] };
  const queryable = { provider: 'postgres', adapterName: 'none' } as const;
  const adapter: SqlDriverAdapter = {
    ...queryable,
    queryRaw: async () => nothing,
    executeRaw: async () => 0,
    executeScript: async () => undefined,
    startTransaction: () => Promise.reject(new Error('There is no database here.')),
    dispose: async () => undefined,
  };
  return { ...queryable, connect: async () => adapter, connectToShadowDb: async () => adapter };
})();

/** The SQL that turns a database of one Prisma schema (null: an empty database) into one of another. Empty when they agree. */
export async function schemaDifference(from: string | null, to: string): Promise<string> {
  const file = (content: string) => ({ files: [{ path: 'schema.prisma', content }] });
  return withEngine(noDatabase, to, async (engine) => {
    const { stdout } = await engine.diff({
      from: from === null ? { tag: 'empty' } : { tag: 'schemaDatamodel', ...file(from) },
      to: { tag: 'schemaDatamodel', ...file(to) },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    const sql = (stdout ?? '').trim();
    return sql === '-- This is an empty migration.' ? '' : sql;
  });
}

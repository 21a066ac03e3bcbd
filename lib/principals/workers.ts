import { rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';

const READ = statement(`SELECT id, name, kind FROM principal WHERE active AND role <> 'reader' ORDER BY name_key LIMIT 1000`);

/** Whom work and leases can go to: active principals that are at least coworkers, by name; the first 1,000. */
export const readWorkers = (q: Queryable): Promise<PrincipalRef[]> => rows<PrincipalRef>(q, READ);

import { sql } from 'kysely';
import type { Store } from '../database/database.ts';
import type { Keyring } from './keyring.ts';

/** Columns with ciphers, with the purpose that is part of their authenticated data. */
const COLUMNS = [
  { table: 'clusters', column: 'kubeconfig', key: 'kubeconfig_key' },
  { table: 'cluster_configs', column: 'components', key: 'components_key' },
] as const;

/**
 * Encrypts everything with the current key that has another one of the keyring, so that the others can be removed. It runs
 * beside motherships that know both keys, and any number of times.
 *
 * @returns the texts that were encrypted again
 */
export async function reencrypt(
  store: Store,
  keyring: Keyring,
  { batchSize = 100 }: { readonly batchSize?: number } = {},
): Promise<number> {
  let changed = 0;
  for (const columns of COLUMNS) {
    for (const keyId of keyring.ids.filter((id) => id !== keyring.currentId)) {
      for (;;) {
        const count = await reencryptBatch(store, keyring, { ...columns, keyId, batchSize });
        changed += count;
        if (count === 0) break;
      }
    }
  }
  return changed;
}

type Batch = (typeof COLUMNS)[number] & { readonly keyId: string; readonly batchSize: number };

async function reencryptBatch(store: Store, keyring: Keyring, batch: Batch): Promise<number> {
  const [table, column, key] = [sql.table(batch.table), sql.ref(batch.column), sql.ref(batch.key)];
  return store.transaction(async (tx) => {
    const { rows } = await sql<{ version: number; text: string }>`
      select version, ${column} as text from ${table} where ${key} = ${batch.keyId}
      limit ${batch.batchSize} for update
    `.execute(tx);
    for (const { version, text } of rows) {
      const plain = keyring.decrypt({ text, keyId: batch.keyId }, batch.column);
      const sealed = keyring.encrypt(plain, batch.column);
      await sql`
        update ${table} set ${column} = ${sealed.text}, ${key} = ${sealed.keyId} where version = ${version}
      `.execute(tx);
    }
    return rows.length;
  });
}

/** Ids of keys that encrypted something, or signed the token of an operation in progress, with the number of rows. */
export async function keysInUse({ queries }: Pick<Store, 'queries'>): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; texts: number }>`
    select id, sum(texts)::float8 as texts from (
      select kubeconfig_key as id, count(*) as texts from clusters where kubeconfig_key is not null group by 1
      union all select components_key, count(*) from cluster_configs group by 1
      union all select token_key, count(*) from operations where state in ('in_progress', 'failed') and token_key is not null group by 1
    ) as used group by id order by id
  `.execute(queries);
  return new Map(rows.map(({ id, texts }) => [id, texts]));
}

/** Which of the used keys are not among `known`, for operators; empty if there are none. Ids are no secrets. */
export function missingKeys(used: ReadonlyMap<string, number>, known: readonly string[]): string {
  const missing = [...used].filter(([id]) => !known.includes(id));
  if (missing.length === 0) return '';
  const texts = missing.map(([id, count]) => `${id} (${count} texts)`).join(', ');
  return `the key file lacks the keys ${texts} that the database is encrypted with; it has ${known.join(', ')}`;
}

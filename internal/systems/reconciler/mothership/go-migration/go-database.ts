/** The tables of the Go program, in the schema `public` of the same database. */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { ProviderError } from '../../../../framework/base/index.ts';
import type { Queries } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

/** The last migration of the Go program. */
const GO_SCHEMA_VERSION = 17;

/** Its times have no zone, and are in UTC. */
export const utc = (column: string) => sql`${sql.ref(column)} at time zone 'UTC'`;

/**
 * Until the transaction ends, no other program can write the tables.
 *
 * @throws terminal if they are not those of the last version
 */
export async function lockGoTables(tx: Transaction<Schema>): Promise<void> {
  await assertGoTables(tx);
  await sql`lock table public.inventory_clusters, public.inventory_cluster_configs,
    public.inventory_cluster_config_statuses, public.scheduler_reconciliations, public.scheduler_operations
    in share row exclusive mode`.execute(tx);
}

/** @throws terminal if the tables are not those of the last version of the Go program */
export async function assertGoTables(tx: Queries): Promise<void> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass('public.schema_migrations')::text as found
  `.execute(tx);
  const version = rows[0]?.found
    ? (
        await sql<{
          version: number;
          dirty: boolean;
        }>`select version, dirty from public.schema_migrations`.execute(tx)
      ).rows[0]
    : undefined;
  if (version === undefined || version.dirty || version.version !== GO_SCHEMA_VERSION) {
    const found = version === undefined ? 'none' : `${version.version}${version.dirty ? ', dirty' : ''}`;
    throw new ProviderError(
      'terminal',
      `cannot migrate the database: the schema of the Go program must have version ${GO_SCHEMA_VERSION}, found ${found}`,
    );
  }
}

const KEY_ID_LENGTH = 15;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Decrypts the texts of the Go program: the first 15 characters of the MD5 of the key, then nonce, cipher and tag in
 * hexadecimal (AES-256-GCM).
 *
 * @param hexKeys contents of its key file, 64 hexadecimal characters; the one that encrypted a text is found
 */
export function createGoCipher(hexKeys: readonly string[]): (text: string, what: string) => string {
  const keys = new Map(hexKeys.map((hex) => [goKeyIdOf(hex), Buffer.from(hex, 'hex')]));
  return (text, what) => {
    const key = keys.get(text.slice(0, KEY_ID_LENGTH));
    if (key === undefined) {
      throw new ProviderError('terminal', `cannot decrypt ${what}: it was encrypted with another key`);
    }
    const sealed = Buffer.from(text.slice(KEY_ID_LENGTH), 'hex');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new ProviderError('terminal', `cannot decrypt ${what}: the text was changed`, { cause });
    }
  };
}

/** Encrypts as the Go program does. @param hexKey content of its key file */
export function encryptForGo(text: string, hexKey: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hexKey, 'hex'), nonce, {
    authTagLength: TAG_BYTES,
  });
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return goKeyIdOf(hexKey) + sealed.toString('hex');
}

/** What texts that were encrypted with a key begin with. */
export const goKeyIdOf = (hexKey: string): string =>
  createHash('md5').update(hexKey).digest('hex').slice(0, KEY_ID_LENGTH);

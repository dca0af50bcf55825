/**
 * The audit log: one line of JSON for each change that a client of the external API asks for, written before the change is
 * made. A change that cannot be written down is refused.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, redact } from '../../../../../framework/base/index.ts';

import type { LineFile } from './line-file.ts';

export interface AuditLog {
  /** @throws if the line cannot be written */
  write(entry: AuditEntry): Promise<void>;
}

export interface AuditEntry {
  readonly contract: number;
  readonly method: string;
  /** Path and query. */
  readonly uri: string;
  /** As received; empty: none. */
  readonly body: string;
  readonly user: string | undefined;
}

export interface AuditLogOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly file: Pick<LineFile, 'append'>;
  readonly tenant: string;
}

const CATEGORY = 'audit.security-events';
const UNKNOWN_USER = 'UNKNOWN_USER';
const REDACTED = 'REDACTED';

/** The names and the form of the Go program. */
export function createAuditLog({ clock, file, tenant }: AuditLogOptions): AuditLog {
  return {
    write: async ({ contract, method, uri, body, user = UNKNOWN_USER }) => {
      const data = {
        contractVersion: contract,
        method,
        uri: redact(uri),
        requestBody: redacted(body),
        user,
        tenant,
      };
      const line = {
        level: 'info',
        time: new Date(clock.now()).toISOString(),
        uuid: randomUUID(),
        user,
        tenant,
        data: JSON.stringify(data),
        category: CATEGORY,
      };
      await file.append(JSON.stringify(line));
    },
  };
}

/** The body without kubeconfigs, secret values, and credentials in other texts, such as a URL. What is no JSON may have either anywhere, and is left out. */
function redacted(body: string): string {
  if (body === '') return '';
  try {
    return JSON.stringify(withoutSecrets(JSON.parse(body)));
  } catch {
    return `not JSON, ${Buffer.byteLength(body)} bytes`;
  }
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  // Names of JSON fields have no case for the Go program.
  const fields = Object.entries(value).map(([name, member]) => ({ name, lower: name.toLowerCase(), member }));
  const memberOf = (wanted: string) => fields.find(({ lower }) => lower === wanted)?.member;
  // A request is written down before it is read: a mark of another type is one too.
  const isSecret = (memberOf('secret') ?? false) !== false || isConfidential(memberOf('key'));
  return Object.fromEntries(
    fields.map(({ name, lower, member }) => {
      const hidden =
        lower === 'kubeconfig' ||
        (isSecret && lower === 'value') ||
        (typeof member === 'string' && isConfidential(name));
      return [name, hidden ? REDACTED : withoutSecrets(member)];
    }),
  );
}

/** Whether a name, or a key of values, ends as those of credentials do. */
const isConfidential = (name: unknown): boolean =>
  typeof name === 'string' &&
  /(?:password|passwd|passphrase|secret|token|(?:api|access|private)[-_]?key)$/i.test(name);

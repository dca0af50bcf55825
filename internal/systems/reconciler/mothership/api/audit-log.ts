/**
 * The audit log: one line of JSON for each change that a client of the external API asks for, written before the change is
 * made. A change that cannot be written down is refused.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, glob, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { type Clock, redact } from '../../../../framework/base/index.ts';

export interface AuditLog {
  /** @throws if the line cannot be written */
  write(entry: AuditEntry): Promise<void>;
}

interface AuditEntry {
  readonly contract: number;
  readonly method: string;
  /** Path and query. */
  readonly uri: string;
  /** As received; empty: none. */
  readonly body: string;
  readonly user: string | undefined;
}

interface AuditLogOptions {
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

/** A file to which lines are appended, replaced by a new one when it has grown. */
interface LineFile {
  /** Resolves when the line is on the disk. @throws the error of the file system */
  append(line: string): Promise<void>;
  close(): Promise<void>;
}

interface LineFileOptions {
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  /** In bytes; default 100 MiB. */
  readonly maxBytes?: number;
  /** Older files that are kept; default 5. */
  readonly maxBackups?: number;
  /** Age at which older files are deleted, in ms; default one day. */
  readonly maxAgeMs?: number;
}

const DAY_MS = 86_400_000;

export function createLineFile(options: LineFileOptions): LineFile {
  const { path, clock, maxBytes = 100 * 1024 * 1024, maxBackups = 5, maxAgeMs = DAY_MS } = options;
  let handle: FileHandle | undefined;
  let bytes = 0;
  let last: Promise<unknown> = Promise.resolve();

  const opened = async (): Promise<FileHandle> => {
    if (handle !== undefined && (await isStillThere(handle, path))) return handle;
    await handle?.close();
    handle = undefined;
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, 'a', 0o600);
    handle = file;
    bytes = (await file.stat()).size;
    return file;
  };
  const rotate = async () => {
    await handle?.close();
    handle = undefined;
    const backup = await reserveBackup(path, clock.now());
    await rename(path, backup).catch(async (error: NodeJS.ErrnoException) => {
      await rm(backup, { force: true });
      // Another process has just done it.
      if (error.code !== 'ENOENT') throw error;
    });
    await removeOld(path, { maxBackups, before: clock.now() - maxAgeMs });
  };
  const append = async (line: string) => {
    const text = `${line}\n`;
    await opened();
    if (bytes > 0 && bytes + Buffer.byteLength(text) > maxBytes) await rotate();
    const file = await opened();
    await file.appendFile(text);
    await file.datasync();
    bytes += Buffer.byteLength(text);
  };
  return {
    append: (line) => {
      const appended = last.then(() => append(line));
      last = appended.catch(() => undefined);
      return appended;
    },
    close: async () => {
      await last;
      await handle?.close();
      handle = undefined;
    },
  };
}

/** False after another program has moved or deleted the file, as logrotate does. */
async function isStillThere(handle: FileHandle, path: string): Promise<boolean> {
  const [own, found] = await Promise.all([handle.stat(), stat(path).catch(() => undefined)]);
  return found !== undefined && own.ino === found.ino && own.dev === found.dev;
}

/** The path of an empty file with the time in its name: of two processes at the same moment, each gets its own. */
async function reserveBackup(path: string, at: number): Promise<string> {
  const extension = extname(path);
  const time = new Date(at).toISOString().replaceAll(':', '-');
  const backup = join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
  try {
    const file = await open(backup, 'wx', 0o600);
    await file.close();
    return backup;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return reserveBackup(path, at + 1);
  }
}

async function removeOld(
  path: string,
  { maxBackups, before }: { readonly maxBackups: number; readonly before: number },
): Promise<void> {
  const extension = extname(path);
  const folder = dirname(path);
  const prefix = `${basename(path, extension)}-`;
  const backups: { name: string; at: number }[] = [];
  for await (const name of glob(`${prefix}*${extension}`, { cwd: folder })) {
    const [, date = '', time = ''] = /(\d{4}-\d\d-\d\dT)(\d\d-\d\d-\d\d\.\d{3}Z)/.exec(name) ?? [];
    const at = Date.parse(`${date}${time.replaceAll('-', ':')}`);
    if (!Number.isNaN(at)) backups.push({ name, at });
  }
  backups.sort((a, b) => b.at - a.at);
  for (const [index, { name, at }] of backups.entries()) {
    if (index >= maxBackups || at < before) await rm(join(folder, name), { force: true });
  }
}

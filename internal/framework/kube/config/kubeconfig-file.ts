/** The operator's own kubeconfig. It may read files, run programs and skip TLS verification. */

import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { textAt, valueAt } from '../../base/json/json-value.ts';
import { cutText, trimTrailing } from '../../base/text/text.ts';
import type { Clock } from '../../base/time/clock.ts';
import { basicAuth, type ClusterConfig, type Credentials } from './cluster-config.ts';
import {
  type CurrentContext,
  currentContext,
  decodedAt,
  fieldTextAt,
  isSet,
  type KubeconfigDocument,
  KubeconfigError,
  optional,
  parseKubeconfig,
} from './kubeconfig-document.ts';

/** Files and tokens are read again after this time; credentials of a program are kept until they expire. */
const REREAD_MS = 10_000;

/**
 * @param paths one file, or several separated as in KUBECONFIG: the first of two entries with one name counts, and
 * missing files are skipped if at least one exists
 * @param contextName default: the file's current context
 */
export async function kubeconfigFile(
  clock: Clock,
  paths: string,
  contextName?: string,
): Promise<ClusterConfig> {
  const load = async () => {
    const files = await loadFiles(paths);
    const root = contextName === undefined ? files : { ...files, 'current-context': contextName };
    return { root, ...inFile(paths, () => currentContext(root)) };
  };
  let loaded = await load();
  const { context, cluster } = loaded;
  const server = inFile(paths, () => {
    const text = fieldTextAt(cluster, 'server') ?? '';
    if (!URL.canParse(text)) throw new KubeconfigError('no-server');
    return trimTrailing(text, '/');
  });
  let reader = await credentialReader(loaded, paths);
  let current: Credentials | undefined;
  let readAt = 0;
  let wasRefused = false;
  const read = async () => {
    if (wasRefused) {
      loaded = await load().catch(() => loaded);
      reader = await credentialReader(loaded, paths).catch(() => reader);
    }
    wasRefused = false;
    const next = await reader();
    readAt = clock.monotonic();
    if (current === undefined || JSON.stringify(current) !== JSON.stringify(next)) current = next;
    return current;
  };
  let reading: Promise<Credentials> | undefined;
  return {
    server,
    ...optional('tlsServerName', fieldTextAt(cluster, 'tls-server-name')),
    ...optional('proxyUrl', fieldTextAt(cluster, 'proxy-url')),
    ...optional('namespace', fieldTextAt(context, 'namespace')),
    ...(valueAt(cluster, ['insecure-skip-tls-verify']) === true ? { skipTlsVerify: true } : {}),
    credentials: () => {
      if (current !== undefined && !wasRefused && clock.monotonic() - readAt < REREAD_MS) {
        return Promise.resolve(current);
      }
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    refused: () => {
      wasRefused = true;
    },
  };
}

const EMBEDDED = [
  ['cluster', 'certificate-authority'],
  ['user', 'client-certificate'],
  ['user', 'client-key'],
] as const;

/**
 * The current context of kubeconfig files as one text, with the content of the files that it names, as
 * `kubectl config view --minify --flatten --raw` shows it. A program that gets credentials is named in it as before.
 *
 * @param paths as of {@link kubeconfigFile}
 */
export async function selfContainedKubeconfig(paths: string): Promise<string> {
  const root = await loadFiles(paths);
  const { context, ...parts } = inFile(paths, () => currentContext(root));
  const found: { cluster: Record<string, unknown>; user: Record<string, unknown> } = {
    cluster: { ...parts.cluster },
    user: { ...parts.user },
  };
  try {
    for (const [part, field] of EMBEDDED) {
      const data = await dataOrFile(found[part], field);
      delete found[part][field];
      if (data !== undefined) found[part][`${field}-data`] = Buffer.from(data).toString('base64');
    }
    const { tokenFile, 'token-file': otherFile, ...user } = found.user;
    const token = await tokenOf(found.user);
    found.user = { ...user, ...optional('token', token) };
  } catch (error) {
    throw new ProviderError('terminal', `cannot use kubeconfig ${paths}: ${messageOf(error)}`);
  }
  const name = 'current';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { ...context, cluster: name, user: name } }],
    clusters: [{ name, cluster: found.cluster }],
    users: [{ name, user: found.user }],
  });
}

async function loadFiles(paths: string): Promise<KubeconfigDocument> {
  const documents: KubeconfigDocument[] = [];
  for (const path of paths.split(delimiter)) {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (valueAt(error, ['code']) === 'ENOENT') return undefined;
      throw new ProviderError('terminal', `cannot read kubeconfig ${path}: ${messageOf(error)}`);
    });
    if (text !== undefined)
      documents.push(
        absolute(
          dirname(path),
          inFile(path, () => parseKubeconfig(text)),
        ),
      );
  }
  if (documents.length === 0)
    throw new ProviderError('terminal', `cannot read kubeconfig ${paths}: no such file`);
  const entries = (list: string) => documents.flatMap((document) => listAt(document, list));
  return {
    'current-context': documents.map((document) => fieldTextAt(document, 'current-context')).find(Boolean),
    clusters: entries('clusters'),
    users: entries('users'),
    contexts: entries('contexts'),
  };
}

function listAt(document: KubeconfigDocument, list: string): readonly unknown[] {
  const found = valueAt(document, [list]);
  return Array.isArray(found) ? found : [];
}

const fileFields = {
  clusters: ['cluster', ['certificate-authority']],
  users: ['user', ['client-certificate', 'client-key', 'tokenFile', 'token-file']],
} as const;

/** Paths in a kubeconfig are relative to its folder. */
function absolute(folder: string, document: KubeconfigDocument): KubeconfigDocument {
  for (const [list, [part, fields]] of Object.entries(fileFields)) {
    for (const entry of listAt(document, list)) {
      const where = valueAt(entry, [part]);
      for (const field of fields) {
        const path = textAt(where, field);
        // Only an object has a path.
        if (path) Object.assign(where as object, { [field]: resolve(folder, path) });
      }
    }
  }
  return document;
}

async function credentialReader(
  { root, cluster, user }: CurrentContext & { readonly root: KubeconfigDocument },
  paths: string,
): Promise<() => Promise<Credentials>> {
  const usesProgram = isSet(user, 'exec') || isSet(user, 'auth-provider');
  const read = usesProgram
    ? (await import('./program-credentials.ts')).programCredentials(root)
    : () => readCredentials(cluster, user);
  return async () => {
    try {
      for (const field of ['as-groups', 'as-uid', 'as-user-extra']) {
        if (isSet(user, field)) throw new KubeconfigError('impersonation', field);
      }
      return await read();
    } catch (error) {
      const why = cutText(messageOf(error), 300);
      throw new ProviderError('auth', `cannot get the credentials of kubeconfig ${paths}: ${why}`);
    }
  };
}

async function readCredentials(cluster: object, user: object): Promise<Credentials> {
  const [ca, cert, key] = await Promise.all([
    dataOrFile(cluster, 'certificate-authority'),
    dataOrFile(user, 'client-certificate'),
    dataOrFile(user, 'client-key'),
  ]);
  const token = await tokenOf(user);
  const username = fieldTextAt(user, 'username');
  const authorization =
    token !== undefined
      ? `Bearer ${token.trim()}`
      : username === undefined
        ? undefined
        : basicAuth(username, fieldTextAt(user, 'password') ?? '');
  return {
    ...optional('ca', ca),
    ...optional('cert', cert),
    ...optional('key', key),
    headers: {
      ...optional('authorization', authorization),
      ...optional('impersonate-user', fieldTextAt(user, 'as')),
    },
  };
}

/** As in client-go, a file has precedence over a token. */
async function tokenOf(user: object): Promise<string | undefined> {
  const file = fieldTextAt(user, 'tokenFile') ?? fieldTextAt(user, 'token-file');
  return file === undefined ? fieldTextAt(user, 'token') : readFile(file, 'utf8');
}

/** As in client-go, embedded data has precedence over a file. */
async function dataOrFile(where: object, field: string): Promise<string | undefined> {
  const data = decodedAt(where, `${field}-data`);
  if (data !== undefined) return data;
  const path = fieldTextAt(where, field);
  return path === undefined ? undefined : readFile(path, 'utf8');
}

/** Adds the files to the message of an error. */
function inFile<T>(paths: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ProviderError('terminal', `cannot use kubeconfig ${paths}: ${messageOf(error)}`);
  }
}

import { parseDocument, Scalar, type ScalarTag, Schema } from 'yaml';
import { isDeeperThan, type YamlLimits, yamlExcess } from '../../base/configuration/configuration.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { parseBoundedJson } from '../../base/json/json-text.ts';
import { valueAt } from '../../base/json/json-value.ts';
import { createScrubber } from '../../base/text/redact.ts';
import type { Credentials } from './cluster-config.ts';

/**
 * The faults of a kubeconfig, with the text that follows `kubeconfig …` in messages. The name of a field may follow, but
 * never content of the kubeconfig.
 */
const faults = {
  empty: 'is empty',
  'not-yaml': 'is not valid YAML',
  bytes: 'is refused: it is larger than 256 KiB',
  depth: 'is refused: it is nested deeper than 16 levels',
  tokens: 'is refused: it has more than 5000 YAML tokens; keep the context in use alone',
  anchors: 'is refused: it has more than 100 YAML anchors and aliases; write their values out',
  'not-a-kubeconfig': 'is not a kubeconfig: it is no YAML mapping',
  'not-text': 'has a field that is not text',
  'not-boolean': 'has a field that is neither true nor false',
  'no-current-context': 'has no current-context',
  'no-context': 'does not define its current-context',
  'no-cluster': 'does not define the cluster of its current-context',
  'no-user': 'does not define the user of its current-context',
  'no-server': 'names no server',
  'bad-server': 'has a server that is not an https URL of host, port and path',
  'no-credentials': 'has a user without token, client certificate or username',
  'half-certificate': 'has only one of client-certificate-data and client-key-data',
  'bad-certificate': 'has a certificate or key that cannot be read',
  'bad-token': 'has credentials that no HTTP header may hold: longer than 16 KiB, or with other characters',
  exec: 'is refused: it runs a program (exec); use a token or a client certificate',
  'auth-provider': 'is refused: it uses an auth-provider; use a token or a client certificate',
  file: 'is refused: it reads a file of this machine; embed the content',
  'insecure-skip-tls-verify':
    'is refused: it switches off the verification of the server (insecure-skip-tls-verify)',
  'long-certificate': 'is refused: its authority, certificate or key has more than 16 KiB',
  'long-key': 'is refused: its client key is an RSA key of more than 4096 bits',
  http: 'is refused: its server is http, so that credentials would be sent in the clear',
  impersonation: 'is refused: it impersonates another user (as)',
  proxy: 'is refused: its proxy-url is neither http nor https',
} as const;

export type KubeconfigFault = keyof typeof faults;

/** The kubeconfig must be changed; a retry does not help. Kind `terminal`. */
export class KubeconfigError extends ProviderError {
  readonly fault: KubeconfigFault;

  /** @param field of the kubeconfig format */
  constructor(fault: KubeconfigFault, field?: string) {
    super('terminal', `kubeconfig ${faults[fault]}${field === undefined ? '' : ` (${field})`}`);
    this.fault = fault;
  }
}

/** A kubeconfig as parsed: any YAML mapping. */
export type KubeconfigDocument = object;

/** The entries of the current context, as parsed. */
export interface CurrentContext {
  readonly context: object;
  readonly cluster: object;
  readonly user: object;
}

/** As in YAML 1.1, which client-go reads: `no` is false. Quoted, it is a text. */
const booleans: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:bool',
  test: /^(?:y|yes|on|n|no|off|true|false)$/i,
  resolve: (text) => new Scalar(/^(?:y|yes|on|true)$/i.test(text)),
};

/** Made once: it takes a fifth of the time of parsing. */
const SCHEMA = new Schema({
  resolveKnownTags: true,
  customTags: (tags) => [booleans, ...tags],
});

/**
 * Read as client-go reads it: of two equal keys the last one counts.
 *
 * @param limits for an untrusted text; default: none, aliases are expanded
 * @throws KubeconfigError without a quotation: the YAML parser's message would show the lines around a mistake
 */
export function parseKubeconfig(whole: string, limits?: YamlLimits): KubeconfigDocument {
  const json = limits && jsonObjectIn(whole, limits);
  if (json !== undefined) return json;
  const text = limits === undefined ? whole : withinLimits(whole, limits);
  if (text.trim() === '') throw new KubeconfigError('empty');
  let root: unknown;
  try {
    // The texts of errors do not take linear time.
    const document = parseDocument(text, {
      logLevel: 'silent',
      uniqueKeys: false,
      prettyErrors: false,
      // A copy, since the parser adds what a text names to its tags.
      schema: SCHEMA.clone(),
    });
    if (document.errors.length > 0) throw new KubeconfigError('not-yaml');
    if (limits !== undefined && isDeeperThan(document.contents, limits.maxDepth)) {
      throw new KubeconfigError('depth');
    }
    root = document.toJS();
  } catch (error) {
    throw error instanceof KubeconfigError ? error : new KubeconfigError('not-yaml');
  }
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    throw new KubeconfigError('not-a-kubeconfig');
  }
  return root;
}

/** A Secret is not larger. */
const MAX_LENGTH = 1024 * 1024;

/** JSON is parsed faster than YAML, so that its limits are higher. Undefined: it is not JSON within them. */
function jsonObjectIn(text: string, { maxDepth }: YamlLimits): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return parseBoundedJson(text, { maxLength: MAX_LENGTH, maxDepth }) as object;
  } catch {
    return undefined;
  }
}

/** The text, without the entries that the current context does not use if it is too long otherwise. */
function withinLimits(text: string, limits: YamlLimits): string {
  const excess = yamlExcess(text, limits);
  if (excess === undefined) return text;
  const shorter = excess === 'bytes' || excess === 'tokens' ? currentEntries(text) : undefined;
  if (shorter === undefined) throw new KubeconfigError(excess);
  const remaining = yamlExcess(shorter, limits);
  if (remaining !== undefined) throw new KubeconfigError(remaining);
  return shorter;
}

export function currentContext(root: KubeconfigDocument): CurrentContext {
  const name = fieldTextAt(root, 'current-context');
  if (name === undefined) throw new KubeconfigError('no-current-context');
  const context = entryNamed(root, 'contexts', 'context', name);
  const entryOf = (part: 'cluster' | 'user') => {
    const partName = fieldTextAt(context, part);
    if (partName === undefined) throw new KubeconfigError(`no-${part}`);
    return entryNamed(root, `${part}s`, part, partName);
  };
  return { context, cluster: entryOf('cluster'), user: entryOf('user') };
}

/** The first entry of that name, as client-go takes it. */
function entryNamed(
  root: KubeconfigDocument,
  list: string,
  part: 'context' | 'cluster' | 'user',
  name: string,
): object {
  const entries = valueAt(root, [list]);
  const entry = Array.isArray(entries) ? entries.find((each) => valueAt(each, ['name']) === name) : undefined;
  const found = valueAt(entry, [part]);
  if (typeof found !== 'object' || found === null) throw new KubeconfigError(`no-${part}`);
  return found;
}

/** False for absent fields, null and the empty string. */
export function isSet(where: object, field: string): boolean {
  const value = valueAt(where, [field]);
  return value !== undefined && value !== null && value !== '';
}

/** As in client-go, an empty text counts as absent. @throws KubeconfigError for other types */
export function fieldTextAt(where: object, field: string): string | undefined {
  const value = valueAt(where, [field]);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new KubeconfigError('not-text', field);
  return value;
}

/** The decoded text of a base64 field. */
export function decodedAt(where: object, field: string): string | undefined {
  const encoded = fieldTextAt(where, field);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/** `{ [key]: value }`, or `{}` without a value. */
export function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** A key of the document with its lines. */
interface Section {
  readonly key: string;
  readonly lines: string[];
}

/**
 * A kubeconfig without the contexts, clusters and users that its current context does not use, for a text that is too long to be
 * parsed. It reads lines in the block style that kubectl writes, in linear time. Undefined if it finds no such lists; the result is
 * parsed and checked as any other text.
 */
function currentEntries(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const sections = sectionsOf(text);
  // The last of two keys counts.
  const last = (key: string) => sections.findLast((section) => section.key === key);
  const current = fieldText(last('current-context')?.lines[0], 'current-context');
  const contexts = last('contexts');
  const context = contexts && itemNamed(contexts, current);
  if (!context?.length) return undefined;
  const names = new Map([
    ['contexts', current],
    ...(['cluster', 'user'] as const).map((part): [string, string | undefined] => [
      `${part}s`,
      context.map((line) => fieldText(line, part)).find(Boolean),
    ]),
  ]);
  return sections
    .flatMap((section) =>
      names.has(section.key)
        ? [...section.lines.slice(0, 1), ...itemNamed(section, names.get(section.key))]
        : section.lines,
    )
    .join('\n');
}

/** The first one has the lines before any key. */
function sectionsOf(text: string): Section[] {
  let section: Section = { key: '', lines: [] };
  const sections = [section];
  for (const line of text.split(/\r?\n/)) {
    const key = /^([a-zA-Z][\w-]*):(?:\s|$)/.exec(line)?.[1];
    if (key !== undefined) {
      section = { key, lines: [] };
      sections.push(section);
    }
    section.lines.push(line);
  }
  return sections;
}

/** The lines of the first item of that name; empty: there is none. */
function itemNamed(section: Section, name: string | undefined): string[] {
  const lines = section.lines.slice(1);
  const start = lines.map((line) => /^ *- /.exec(line)?.[0]).find((found) => found !== undefined);
  if (start === undefined) return [];
  const nameFields = [`${start}name:`, `${' '.repeat(start.length)}name:`];
  const isNamed = (line: string) =>
    nameFields.some((field) => line.startsWith(field)) &&
    fieldText(line.slice(start.length), 'name') === name;
  const starts = lines.flatMap((line, index) => (line.startsWith(start) ? [index] : []));
  const items = starts.map((from, n) => lines.slice(from, starts[n + 1]));
  return items.find((item) => item.some(isNamed)) ?? [];
}

/** The text after `key:`, without quotes. */
function fieldText(line: string | undefined, key: string): string | undefined {
  const field = line?.trimStart();
  if (!field?.startsWith(`${key}:`)) return undefined;
  const value = field.slice(key.length + 1).trim();
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
}

/** Characters of a text that messages may show. The server of a tenant may send long ones with each response. */
const MAX_TEXT = 2048;

/** Masks the credentials in texts of their API server, which may quote them in any response. Computed once for each credentials. */
export function credentialScrubber(credentials: Credentials): (text: string) => string {
  const known = scrubbers.get(credentials);
  if (known !== undefined) return known;
  const scrub = createScrubber(secretsOf(credentials), [], MAX_TEXT);
  scrubbers.set(credentials, scrub);
  return scrub;
}

const scrubbers = new WeakMap<Credentials, (text: string) => string>();

function* secretsOf({ key, headers }: Credentials): Generator<string> {
  if (key !== undefined) yield key;
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ', 2);
  yield value;
  // RFC 7617
  if (scheme.toLowerCase() !== 'basic') return;
  const userAndPassword = Buffer.from(value, 'base64').toString('utf8');
  yield userAndPassword.slice(userAndPassword.indexOf(':') + 1);
}

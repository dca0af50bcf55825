import { Document, parseDocument, Scalar, type ScalarTag } from 'yaml';
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
interface CurrentContext {
  readonly context: object;
  readonly cluster: object;
  readonly user: object;
}

/** As in YAML 1.1, which client-go reads: `no` is false. Quoted, it is a text. */
const booleans: ScalarTag = {
  identify: (value) => typeof value === 'boolean',
  default: true,
  tag: 'tag:yaml.org,2002:bool',
  test: /^(?:y|yes|on|n|no|off|true|false)$/i,
  resolve: (text) => new Scalar(/^(?:y|yes|on|true)$/i.test(text)),
};

/** Made once: it takes a fifth of the time of parsing. */
const SCHEMA = new Document(undefined, { customTags: (tags) => [booleans, ...tags] }).schema;

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
      schema: SCHEMA?.clone() ?? 'core',
    });
    if (document.errors.length > 0) throw new KubeconfigError('not-yaml');
    if (limits !== undefined && isDeeperThan(document.contents, limits.maxDepth)) {
      throw new KubeconfigError('depth');
    }
    root = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw error instanceof KubeconfigError ? error : new KubeconfigError('not-yaml');
  }
  if (typeof root !== 'object' || root === null || Array.isArray(root)) {
    throw new KubeconfigError('not-a-kubeconfig');
  }
  return root;
}

/** A Secret is not larger. */
const MAX_JSON_LENGTH = 1024 * 1024;

/** JSON is parsed faster than YAML, so that its limits are higher. Undefined: it is not JSON within them. */
function jsonObjectIn(text: string, { maxDepth }: YamlLimits): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value = parseBoundedJson(text, { maxLength: MAX_JSON_LENGTH, maxDepth });
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text, without the entries that the current context does not use if it is too long otherwise. */
function withinLimits(text: string, limits: YamlLimits): string {
  const excess = yamlExcess(text, limits);
  if (excess === undefined) return text;
  const shorter = excess === 'bytes' || excess === 'tokens' ? currentEntries(text) : undefined;
  const remaining = shorter === undefined ? excess : yamlExcess(shorter, limits);
  if (shorter === undefined || remaining !== undefined) throw new KubeconfigError(remaining ?? excess);
  return shorter;
}

export function currentContext(root: KubeconfigDocument): CurrentContext {
  const name = fieldTextAt(root, 'current-context');
  if (name === undefined) throw new KubeconfigError('no-current-context');
  const context = entryNamed(root, 'contexts', 'context', name);
  const [cluster, user] = (['cluster', 'user'] as const).map((part) => {
    const partName = fieldTextAt(context, part);
    if (partName === undefined) throw new KubeconfigError(`no-${part}`);
    return entryNamed(root, `${part}s`, part, partName);
  });
  return { context, cluster: cluster ?? {}, user: user ?? {} };
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

/** A Secret is not larger. */
const MAX_LENGTH = 1024 * 1024;

const LISTS = ['contexts', 'clusters', 'users'];

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
  const context = current && itemNamed(last('contexts'), current);
  if (!context) return undefined;
  const names = new Map([
    ['contexts', current],
    ...(['cluster', 'user'] as const).map((part): [string, string | undefined] => [
      `${part}s`,
      context.map((line) => fieldText(line, part)).find((value) => value !== undefined),
    ]),
  ]);
  return sections
    .flatMap((section) => {
      const name = names.get(section.key);
      const item = name === undefined ? undefined : itemNamed(section, name);
      return LISTS.includes(section.key) ? [section.lines[0] ?? '', ...(item ?? [])] : section.lines;
    })
    .join('\n');
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  for (const line of text.split(/\r?\n/)) {
    const key = /^([a-zA-Z][\w-]*):(?:\s|$)/.exec(line)?.[1];
    if (key !== undefined || sections.length === 0) sections.push({ key: key ?? '', lines: [] });
    sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** The lines of the first item of that name. */
function itemNamed(section: Section | undefined, name: string): string[] | undefined {
  const lines = section?.lines.slice(1) ?? [];
  const indent = lines.map((line) => /^( *)- /.exec(line)?.[1]?.length).find((found) => found !== undefined);
  if (indent === undefined) return undefined;
  const isStart = (line: string) => line.startsWith('- ', indent) && line.slice(0, indent).trim() === '';
  const nameLine = ' '.repeat(indent + 2);
  let item: string[] | undefined;
  let isNamed = false;
  for (const line of lines) {
    if (isStart(line)) {
      if (isNamed) return item;
      item = [];
    }
    item?.push(line);
    const field = isStart(line) ? `${nameLine}${line.slice(indent + 2)}` : line;
    if (field.startsWith(`${nameLine}name:`) && fieldText(field, 'name') === name) isNamed = true;
  }
  return isNamed ? item : undefined;
}

/** The text after `key:`, without quotes. */
function fieldText(line: string | undefined, key: string): string | undefined {
  const field = line?.trimStart() ?? '';
  if (!field.startsWith(`${key}:`)) return undefined;
  const value = field.slice(key.length + 1).trim();
  return /^(["'])(.*)\1$/.exec(value)?.[2] ?? (value === '' ? undefined : value);
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
  if (value === '') return;
  yield value;
  // RFC 7617
  if (scheme.toLowerCase() === 'basic')
    yield Buffer.from(value, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:/, '');
}

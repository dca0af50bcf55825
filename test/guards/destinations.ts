import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type {
  ObservedConnection,
  ObservedRequest,
} from '../../internal/framework/http/transport/send-request.ts';
import type { ObservedWrite, StoredObject } from '../../internal/framework/kube/fakes/memory-cluster.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { kubeRequestOf } from './kube-request.ts';
import { CAMPAIGN_NETWORK, originOfCall } from './origin.ts';
import { decodedEntries, secretValues } from './secret-values.ts';
import { reportViolation } from './violations.ts';

interface Channels {
  readonly stored: string;
  readonly writes: string;
  readonly requests: string;
  readonly connections: string;
}

/** Where a value may be sent. */
interface Holder {
  /** Of the Secret. */
  readonly name: string;
  /** Its decoded data: it names hosts, as bindings and kubeconfigs do. */
  readonly text: string;
}

export interface DestinationGuard {
  /** Forgets what the test has stored in memory. What is on real servers stays for all tests of a file. */
  endTest(): void;
  stop(): void;
}

/** Secrets, and what refers to them. */
interface Known {
  /** By their secret values. */
  readonly holders: Map<string, Holder[]>;
  /** The latest content of objects that are no Secrets, by kind and name. */
  readonly objects: Map<string, KubeObject>;
}

/**
 * A credential of a Secret goes to no host but those that the same Secret names, or an object that refers to the Secret:
 * tokens and basic authentication in headers, client secrets in forms, client certificates of connections.
 */
export function guardDestinations(channels: Channels): DestinationGuard {
  const inMemory: Known = { holders: new Map(), objects: new Map() };
  const onServers: Known = { holders: new Map(), objects: new Map() };
  const note = ({ holders, objects }: Known, plural: string, object: KubeObject) => {
    const { name, namespace = '' } = object.metadata;
    if (plural !== 'secrets') {
      objects.set(`${plural}/${namespace}/${name}`, object);
      return;
    }
    const texts = decodedEntries(object).map(([, each]) => each);
    const holder = { name, text: texts.join('\n') };
    for (const { value } of secretValues(object)) {
      const others =
        holders.get(value)?.filter((each) => each.name !== name || each.text !== holder.text) ?? [];
      holders.set(value, [...others, holder]);
    }
  };
  /** The texts in which the hosts of a Secret are: its own, and those of the objects that refer to it. */
  const textsOf = ({ name, text }: Holder): readonly string[] => {
    const objects = [inMemory, onServers].flatMap((known) => [...known.objects.values()]);
    const referring = objects.map((object) => JSON.stringify(object));
    return [text, ...referring.filter((each) => each.includes(`"${name}"`))].filter((each) =>
      HOST.test(each),
    );
  };
  const check = (credential: string, origin: string, what: string) => {
    const known = [inMemory, onServers].flatMap(({ holders }) => holders.get(credential) ?? []);
    const texts = known.flatMap(textsOf);
    const { host } = new URL(origin);
    // Where nothing names a host, the test has given it to the program in another way.
    if (texts.length === 0 || texts.some((text) => text.includes(host))) return;
    const caller = originOfCall(CAMPAIGN_NETWORK);
    if (caller?.isProgram === false) return;
    const where = caller?.where ?? 'unknown';
    const details = `Secret ${known.map(({ name }) => name).join(', ')}, ${host}`;
    reportViolation({ guard: 'taint', where, what: `${what} goes to another host`, details });
  };
  const onStored = (message: unknown) => {
    const { type, object } = message as StoredObject;
    note(inMemory, type.plural, object);
  };
  const onWrite = (message: unknown) => {
    const { type, body, verb, key } = message as ObservedWrite;
    if (!CONTENT.has(verb) || typeof body !== 'object' || body === null || Array.isArray(body)) return;
    note(inMemory, type.plural, { ...(body as KubeObject), metadata: { ...key } });
  };
  const onRequest = (message: unknown) => {
    const request = message as ObservedRequest;
    const { url, headers } = request;
    for (const credential of credentialsOf(request))
      check(credential, url.origin, 'a credential of a Secret');
    const target = kubeRequestOf(request);
    const isWrite = target !== undefined && /^(POST|PUT|PATCH)$/.test(request.method);
    if (!isWrite || request.body === undefined || headers['content-type']?.includes('json-patch')) return;
    const object: KubeObject = JSON.parse(request.body);
    const name = target.name ?? object.metadata?.name ?? '';
    note(onServers, target.type.plural, { ...object, metadata: { ...object.metadata, name } });
  };
  const onConnection = (message: unknown) => {
    const { origin, clientKey } = message as ObservedConnection;
    check(clientKey, origin, 'a client certificate of a Secret');
  };
  const handlers = [
    [channels.stored, onStored],
    [channels.writes, onWrite],
    [channels.requests, onRequest],
    [channels.connections, onConnection],
  ] as const;
  for (const [channel, handler] of handlers) subscribe(channel, handler);
  return {
    endTest: () => {
      inMemory.holders.clear();
      inMemory.objects.clear();
    },
    stop: () => {
      for (const [channel, handler] of handlers) unsubscribe(channel, handler);
    },
  };
}

const HOST = /https?:\/\/[^\s"']+/;
const CONTENT: ReadonlySet<string> = new Set(['update', 'patch', 'apply']);

/** What authenticates a request. */
function credentialsOf({ headers, body = '' }: ObservedRequest): readonly string[] {
  const [, scheme, value = ''] = /^(Bearer|Basic) (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (scheme?.toLowerCase() === 'basic') {
    const text = Buffer.from(value, 'base64').toString();
    const password = text.slice(text.indexOf(':') + 1);
    // OAuth encodes both parts (RFC 6749, section 2.3.1).
    return [password, decodeURIComponent(password.replaceAll('+', ' '))];
  }
  if (scheme !== undefined) return [value];
  const isForm = headers['content-type']?.includes('x-www-form-urlencoded') === true;
  const secret = isForm ? new URLSearchParams(body).get('client_secret') : null;
  return secret === null ? [] : [secret];
}

/** The parts of the cases: the server they run against, the kinds, and what they note of refusals and watches. */
import { expect } from '@jest/globals';
import type { KubeClient, WatchEvent } from '../../../internal/framework/kube/client/client.ts';
import {
  isAlreadyExists,
  isConflict,
  isGone,
  isNotFound,
  isPatchRefused,
  isUnknownKind,
  KubeApiError,
} from '../../../internal/framework/kube/errors/errors.ts';
import { keyOf, type ObjectKey, type ObjectMeta } from '../../../internal/framework/kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { type Content, contractConfigMaps, contractWidgets } from './kinds.ts';

/** An API server under test. */
export interface ContractServer {
  readonly client: KubeClient;
  /** Of all cases that do not list it. */
  readonly namespace: string;
  newNamespace(): Promise<string>;
  /** A version from which no watch of the widgets can start any more. */
  expiredVersion(): Promise<string>;
  /** Lets a clock that the test controls advance; a real server has its own. */
  pass(ms: number): Promise<void>;
}

export interface ContractCase {
  readonly title: string;
  readonly run: (server: ContractServer) => Promise<void>;
}

/** A kind with a status and generations, and one of the core group without. */
export interface Subject {
  readonly type: ResourceType<Content>;
  readonly field: 'spec' | 'data';
  readonly hasStatus: boolean;
}

export const widgetSubject: Subject = { type: contractWidgets, field: 'spec', hasStatus: true };
const configMapSubject: Subject = { type: contractConfigMaps, field: 'data', hasStatus: false };

/** One case for each kind. */
export function eachKind(
  title: string,
  run: (server: ContractServer, subject: Subject) => Promise<void>,
): ContractCase[] {
  return [widgetSubject, configMapSubject].map((subject) => ({
    title: `${title} (${subject.type.kind})`,
    run: (server) => run(server, subject),
  }));
}

let names = 0;
export const uniqueObjectName = () => `o-${++names}`;

/** An object with this content, if any, and a name of its own. */
export function object(
  { namespace }: Pick<ContractServer, 'namespace'>,
  { type, field }: Subject,
  content: Record<string, unknown> = { colour: 'red' },
  metadata: Partial<ObjectMeta> = {},
): Content {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { namespace, name: uniqueObjectName(), ...metadata },
    ...(Object.keys(content).length === 0 ? {} : { [field]: content }),
  };
}

/** The object with other fields of its content. */
export const withContent = (found: Content, { field }: Subject, content: object): Content => ({
  ...found,
  [field]: { ...found[field], ...content },
});

export const withMetadata = (found: Content, metadata: Partial<ObjectMeta>): Content => ({
  ...found,
  metadata: { ...found.metadata, ...metadata },
});

const predicates = { isNotFound, isUnknownKind, isConflict, isAlreadyExists, isGone, isPatchRefused };

/** How callers see a refusal. */
export async function refusalOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof KubeApiError)) throw error;
    const is = Object.entries(predicates).flatMap(([name, holds]) => (holds(error) ? [name] : []));
    return { status: error.status, reason: error.reason, kind: error.kind, is };
  }
  throw new Error('the request was not refused');
}

export const conflict = { status: 409, reason: 'Conflict', kind: 'conflict', is: ['isConflict'] };
/** A patch or an apply names the UID of another object. */
export const replaced = { ...conflict, status: 422, reason: 'Invalid' };
export const notFound = { status: 404, reason: 'NotFound', kind: 'not-found', is: ['isNotFound'] };
export const invalid = { status: 422, reason: 'Invalid', kind: 'terminal', is: ['isPatchRefused'] };
export const alreadyExists = {
  status: 409,
  reason: 'AlreadyExists',
  kind: 'transient',
  is: ['isAlreadyExists'],
};

/** Everything of the object is as in `before`. */
export async function expectUnchanged({ client }: ContractServer, { type }: Subject, before: Content) {
  expect(await client.get(type, keyOf(before))).toEqual(before);
}

/** The first events of a watch that starts after the version. */
export async function eventsAfter(
  { client, namespace }: ContractServer,
  { type }: Subject,
  { name, resourceVersion }: { readonly name: string; readonly resourceVersion: string | undefined },
  count: number,
): Promise<WatchEvent<Content>[]> {
  if (resourceVersion === undefined) throw new Error('the object has no version');
  const fieldSelector = `metadata.name=${name}`;
  return firstOf(client.watch(type, { namespace, fieldSelector, resourceVersion }), count);
}

/** Bookmarks are left out. */
export async function firstOf<T>(
  events: AsyncIterable<WatchEvent<T>>,
  count: number,
): Promise<WatchEvent<T>[]> {
  const received: WatchEvent<T>[] = [];
  for await (const event of events) {
    if (event.type !== 'BOOKMARK') received.push(event);
    if (received.length === count) break;
  }
  return received;
}

/** `MODIFIED blue 2`: the type, the colour and the generation of each event. */
export const linesOf = (events: readonly WatchEvent<Content>[]): string[] =>
  events.map(({ type, object: { spec, data, metadata } }) =>
    [type, (spec ?? data)?.colour, metadata.generation].filter((part) => part !== undefined).join(' '),
  );

export const missing = ({ namespace }: ContractServer): ObjectKey => ({ namespace, name: 'missing' });

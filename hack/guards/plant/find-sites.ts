/** Where faults of the kinds that guards find can be planted in a file, by rules instead of a list. */
import {
  childrenOf,
  type Node,
  namedFunctions,
  nameOf,
  nameOfCall,
  type Operator,
  parseModule,
} from './operators.ts';

export type FaultKind =
  | 'ownership check removed'
  | 'precondition removed'
  | 'guard call removed'
  | 'owner or namespace swapped'
  | 'cleanup skipped'
  | 'trigger dropped';

/** A fault that can be planted. */
export interface Site {
  readonly kind: FaultKind;
  readonly function: string;
  readonly operator: Operator;
}

const OWNERSHIP_ASSERTIONS = /^assert(Own|Ours|Permitted|Controllable|Decided|Default)$/;
const IS_FOREIGN = /^is(Foreign|OfAnother|TakenOver)$/;
const IS_OWN = /^(is(Own|Ours|Permitted|Maker|Controlled)|wasOwned)$/;
const CLEANUPS =
  /^(remove|delete|release|close|cancel|clear|abort|dispose|unpublish|cleanUp|forget|disconnect)([A-Z]\w*)?$/;
const PRECONDITIONS: ReadonlySet<string> = new Set(['preconditions', 'resourceVersion']);
/** Objects in which a UID is a precondition. */
const IDENTIFYING: ReadonlySet<string> = new Set(['preconditions', 'metadata']);

/** What a part waits for: watched objects, and notifications of the database. */
const TRIGGERS: ReadonlySet<string> = new Set(['targets', 'topics']);
const isEmptyArray = (node: unknown): boolean => {
  const { type, elements } = node as Partial<Node>;
  return type === 'ArrayExpression' && (elements as readonly unknown[]).length === 0;
};

/** Each fault once. A function is the innermost one with a name. */
export function sitesIn(source: string): readonly Site[] {
  const sites = new Map<string, Site>();
  for (const { name, node } of namedFunctions(parseModule(source)))
    for (const [kind, operator] of faultsIn(node, name)) {
      const site = { kind, function: name, operator };
      sites.set(JSON.stringify(site), site);
    }
  return [...sites.values()];
}

type Found = readonly [FaultKind, Operator];

/** Nodes of inner functions with names belong to these. */
function* faultsIn(scope: Node, name: string): Generator<Found> {
  const inner = new Set(namedFunctions(scope).map(({ node }) => node));
  const walk = function* (node: Node, of: string | undefined): Generator<Found> {
    if (node !== scope && inner.has(node)) return;
    yield* faultsOfCall(node);
    yield* faultsOfStatement(node);
    yield* faultsOfMembers(node, of);
    if (name === 'sources') yield* faultsOfTriggers(node);
    const key = node.type === 'ObjectProperty' ? nameOf(node.key) : undefined;
    for (const child of childrenOf(node)) yield* walk(child, key);
  };
  yield* walk(scope, undefined);
}

function* faultsOfCall(node: Node): Generator<Found> {
  const call = nameOfCall(node);
  if (call === undefined) return;
  const value = IS_FOREIGN.test(call) ? 'false' : IS_OWN.test(call) ? 'true' : undefined;
  if (value !== undefined) yield ['ownership check removed', { kind: 'replace-call', call, value }];
}

function* faultsOfStatement({ type, expression }: Node): Generator<Found> {
  if (type !== 'ExpressionStatement') return;
  const of = expression as Node;
  const called = of.type === 'AwaitExpression' ? (of.argument as Node) : of;
  const call = nameOfCall(called);
  if (call === undefined) return;
  const operator: Operator = { kind: 'remove-call', call };
  if (call === 'assertMayWrite') yield ['guard call removed', operator];
  else if (OWNERSHIP_ASSERTIONS.test(call)) yield ['ownership check removed', operator];
  else if (CLEANUPS.test(call)) yield ['cleanup skipped', operator];
}

/** @param of the member that has the object as its value */
function* faultsOfMembers({ type, properties }: Node, of: string | undefined): Generator<Found> {
  if (type !== 'ObjectExpression') return;
  for (const each of properties as readonly Node[]) {
    const member = nameOf(each.key);
    if (member === undefined) continue;
    const isPrecondition = PRECONDITIONS.has(member) || (member === 'uid' && IDENTIFYING.has(of ?? ''));
    if (isPrecondition) yield ['precondition removed', { kind: 'remove-member', member }];
    if (member === 'fence') yield ['guard call removed', { kind: 'remove-member', member }];
    if (each.type !== 'ObjectProperty') continue;
    if (TRIGGERS.has(member) && !isEmptyArray(each.value))
      yield ['trigger dropped', { kind: 'replace-member', member, value: '[]' }];
    const swapped = SWAPPED[member];
    if (swapped !== undefined)
      yield ['owner or namespace swapped', { kind: 'replace-member', member, value: swapped }];
  }
}

const SWAPPED: Readonly<Record<string, string>> = { ownerReferences: '[]', namespace: "'of-another'" };

function* faultsOfTriggers({ type, elements }: Node): Generator<Found> {
  if (type !== 'ArrayExpression') return;
  for (const each of elements as readonly (Node | null)[]) {
    const of = each?.type === 'SpreadElement' ? (each.argument as Node) : each;
    const element = of && (nameOfCall(of) ?? nameOf(of));
    if (element != null) yield ['trigger dropped', { kind: 'remove-element', element }];
  }
}

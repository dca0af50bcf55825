import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { cloneJson } from '../../internal/framework/base/json/json-value.ts';
import type { StoredObject } from '../../internal/framework/kube/fakes/memory-cluster.ts';
import type { AnyObject } from '../../internal/framework/kube/fakes/memory-store.ts';
import { originOfCall } from './origin.ts';
import { isKnown } from './violations.ts';

/** Set by the night's check of known.yaml: tests that are known to fail with copies fail then. */
const ALL_COPIES = process.env.GUARDS_ALL_COPIES !== undefined;
/** Kinds of which no copies are made: their names are their identity. */
const NOT_COPIED = new Set(['events', 'leases', 'namespaces', 'customresourcedefinitions']);
/** A copy of an object that the program reconciles would be one more object to reconcile. */
const RECONCILED = /(^|\.)(cloud\.sap|cloud\.sap\.com|kyma-project\.io|crossplane\.io|example\.org)$/;

/**
 * Beside each object that the program creates in memory, copies of another tenant: with the same labels, annotations and
 * content, another UID and another owner; one of the same name in another namespace, one of another name beside it. A write
 * to a copy is a violation (kube-writes.ts). Where known.yaml says that the program takes copies for its own, and tests therefore
 * fail, there are none.
 */
export function placeForeignCopies(channel: string): () => void {
  const onStored = (message: unknown) => {
    const { type, object, place } = message as StoredObject;
    if (NOT_COPIED.has(type.plural) || RECONCILED.test(type.group)) return;
    const origin = originOfCall();
    if (origin?.isProgram !== true) return;
    const what = `takes copies of ${type.plural} for its own`;
    if (isKnown({ guard: 'foreign-objects', where: origin.where, what }) && !ALL_COPIES) return;
    for (const copy of copiesOf(object)) place(copy);
  };
  subscribe(channel, onStored);
  return () => {
    unsubscribe(channel, onStored);
  };
}

function copiesOf(object: AnyObject): readonly AnyObject[] {
  const { name, namespace, ownerReferences, ...metadata } = object.metadata;
  delete metadata.managedFields;
  const owned = ownerReferences?.map((owner) => ({ ...owner, uid: randomUUID() }));
  const copy = (at: { readonly name: string; readonly namespace?: string }): AnyObject => ({
    ...cloneJson(object),
    metadata: {
      ...cloneJson(metadata),
      ...at,
      uid: randomUUID(),
      ...(owned === undefined ? {} : { ownerReferences: owned }),
    },
  });
  const beside = copy({ name: `${name}-of-another`, ...(namespace === undefined ? {} : { namespace }) });
  return namespace === undefined ? [beside] : [beside, copy({ name, namespace: `${namespace}-of-another` })];
}

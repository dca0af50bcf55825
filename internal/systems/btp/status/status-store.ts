import { cutText } from '../../../framework/base/index.ts';

import {
  createObjectEvents,
  type ReconcilerContext,
  storeStatus,
  type WorkingCopy,
} from '../../../framework/controller/index.ts';
import { findCondition, isTooLarge } from '../../../framework/kube/index.ts';
import { conditionsOf, observedGenerationOf, typeReady, typeSucceeded } from './conditions.ts';
import { pendingText, reasons } from './messages.ts';
import type { ServiceResource, ServiceStatus } from './service-resource.ts';

type Condition = ReturnType<typeof conditionsOf>[number];

/** Stores the status of an object. Each transition of a condition is an event. */
export interface StatusStore {
  /** @throws a conflict if the object was changed since it was read; GoneError if it does not exist any more */
  store(): Promise<void>;
  /** After an external write: the result is stored, also if the object was changed meanwhile. */
  storeResult(): Promise<void>;
  /** The next stored success is an event with this reason, instead of one for its transition. */
  announce(reason: string): void;
  /** An event about something that no condition shows. */
  record(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

export function createStatusStore(
  copy: WorkingCopy<ServiceResource>,
  { recorder, signal }: Pick<ReconcilerContext, 'recorder' | 'signal'>,
): StatusStore {
  const { object } = copy;
  const events = createObjectEvents({ recorder, object: () => object });
  let before = conditionsOf(object);
  let announced: string | undefined;
  const put = async (isResult: boolean) => {
    const generation = findCondition(conditionsOf(object), typeSucceeded) ? observedGenerationOf(object) : 0;
    if (object.status && generation > 0) object.status.observedGeneration = generation;
    else delete object.status?.observedGeneration;
    const stated = conditionsOf(object);
    await storeFitting(() => storeStatus(copy, { events, signal, isResult }), object);
    // Not before: a status that could not be stored is stated again by the next reconcile.
    for (const condition of stated) {
      const isHidden = announced !== undefined && condition.status === 'True';
      if (!isHidden && isTransition(findCondition(before, condition.type), condition)) {
        events.record(isProblem(condition) ? 'Warning' : 'Normal', condition.reason, textOf(condition));
      }
    }
    if (announced !== undefined) {
      const succeeded = findCondition(stated, typeSucceeded);
      events.record('Normal', announced, succeeded?.status === 'True' ? textOf(succeeded) : announced);
      announced = undefined;
    }
    before = stated;
  };
  return {
    store: () => put(false),
    storeResult: () => put(true),
    announce: (reason) => {
      announced = reason;
    },
    record: events.record,
  };
}

/** With a spec as large as etcd accepts, the ID and the operation are stored, without what a broker chooses the size of. */
async function storeFitting(store: () => Promise<void>, object: ServiceResource): Promise<void> {
  const { status } = object;
  try {
    await store();
  } catch (error) {
    if (status === undefined || !isTooLarge(error)) throw error;
    object.status = withoutLarge(status);
    await store();
  }
}

function withoutLarge({ conditions, ...others }: ServiceStatus): ServiceStatus {
  return {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => typeof value !== 'object')),
    conditions: conditions.map(({ message, ...condition }) => ({
      ...condition,
      ...(message === undefined ? {} : { message: cutText(message, SHORT_MESSAGE) }),
    })),
  };
}

/** In characters. */
const SHORT_MESSAGE = 128;

/** Progress texts of polls and the derived condition Ready are no events of their own. */
function isTransition(old: Condition | undefined, { type, status, reason, message }: Condition): boolean {
  if (type === typeReady) return reason === reasons.notFound && old?.reason !== reason;
  // The first status of a create says only that it begins.
  if (old === undefined && message === pendingText) return false;
  if (old?.reason !== reason || old.status !== status) return true;
  return isProblem(old) && old.message !== message;
}

const isProblem = ({ reason }: Condition): boolean => reason.endsWith('Failed') || PROBLEMS.includes(reason);
const PROBLEMS: readonly string[] = [reasons.notFound, reasons.shareNotSupported, reasons.blocked];

const textOf = ({ message = '', reason }: Condition): string => (message === '' ? reason : message);

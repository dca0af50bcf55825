/**
 * Reports changes of single objects of one cluster without a copy of them: for reconciles that wait for objects of
 * other owners.
 *
 * There is one metadata-only watch for each kind and namespace. It is open while it has subscribers and a little longer.
 * It keeps names and versions of all objects that it reports, so that a change between the read of an object and the
 * call of `watch` is noticed. Where watching is refused, the watched objects are read with GET every 5 s.
 */

import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import type { WatchedObject } from '../../base/errors/errors.ts';
import type { KubeClient } from '../client/client.ts';
import { keyString, type ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import { createSharedWatch, type ObjectWatch, type SharedWatch } from './shared-watch.ts';
import { keptVersion, type ReadVersion } from './watched-versions.ts';

export interface ObjectWatchOptions {
  /** Where watching is forbidden, read the object with GET every few seconds. Default true. */
  readonly poll?: boolean;
}

export interface ObjectWatcher {
  /** The object as a WaitingError names it. Opens no watch before its `watch` is called. */
  target(type: ResourceType, key: ObjectKey, readVersion: ReadVersion): WatchedObject;
  /**
   * @param onChange called when the object differs from the version that was read, or may differ, and again for each
   * further version, with the version that is known; never from within `watch`
   */
  watch(
    type: ResourceType,
    key: ObjectKey,
    readVersion: ReadVersion,
    onChange: (now: ReadVersion) => void,
    options?: ObjectWatchOptions,
  ): ObjectWatch;
  /** Subscribers that have not stopped. */
  size(): number;
  /** Calls every `onChange`, as if all objects had changed. */
  notifyAll(): void;
  /** Ends all watches, after a last call of each `onChange`. */
  close(): void;
}

export interface ObjectWatcherOptions extends DepsWith<'clock'> {
  readonly client: KubeClient;
  /**
   * Memory for the names of all watches together. When it is used up, the watched objects are read with GET, as where
   * watching is forbidden. Default: no bound, for a server that is trusted.
   */
  readonly names?: ByteBudget;
}

/** A watch stays open after its last subscriber, so that the next reconcile that waits finds it open. */
const LINGER_MS = 2000;

export function createObjectWatcher(options: ObjectWatcherOptions): ObjectWatcher {
  const { client } = options;
  const deps = createDeps(options);
  const { clock } = deps;
  const watches = new Map<string, { readonly sharedWatch: SharedWatch; cancelClose: () => void }>();
  let closed = false;

  const open = (type: ResourceType, namespace: string | undefined) => {
    const id = `${groupResource(type)}/${type.version}/${namespace ?? ''}`;
    let entry = watches.get(id);
    if (!entry) {
      const sharedWatch = createSharedWatch({
        ...deps,
        client,
        type,
        namespace,
        ...(options.names ? { names: options.names } : {}),
        onIdle: () => {
          const idle = watches.get(id);
          if (!idle) return;
          idle.cancelClose = clock.after(LINGER_MS, () => {
            watches.delete(id);
            sharedWatch.close();
          });
        },
      });
      entry = { sharedWatch, cancelClose: () => undefined };
      watches.set(id, entry);
    }
    entry.cancelClose();
    return entry.sharedWatch;
  };

  const watch: ObjectWatcher['watch'] = (type, key, readVersion, onChange, { poll = true } = {}) => {
    if (closed) return { isCurrent: () => false, stop: clock.after(0, () => onChange(readVersion)) };
    const namespace = type.namespaced ? (key.namespace ?? '') : undefined;
    return open(type, namespace).watch(key.name, readVersion, onChange, poll);
  };

  return {
    watch,
    target: (type, key, readVersion) => {
      const version = keptVersion(readVersion);
      return {
        description: `${type.kind} ${keyString(key)} on ${client.clusterName}`,
        watch: (onChange) => watch(type, key, version, () => onChange()).stop,
      };
    },
    size: () => [...watches.values()].reduce((sum, { sharedWatch }) => sum + sharedWatch.size(), 0),
    notifyAll: () => {
      for (const { sharedWatch } of [...watches.values()]) sharedWatch.notifyAll();
    },
    close: () => {
      closed = true;
      for (const { sharedWatch, cancelClose } of watches.values()) {
        cancelClose();
        sharedWatch.close();
      }
      watches.clear();
    },
  };
}

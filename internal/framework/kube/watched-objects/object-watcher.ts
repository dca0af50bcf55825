/**
 * Reports changes of single objects of one cluster without a copy of them: for reconciles that wait for objects of
 * other owners.
 *
 * There is one metadata-only watch for each kind and namespace. It is open while it has subscribers and a little longer.
 * It keeps names and versions of all objects that it reports, so that a change between the read of an object and the
 * call of `watch` is noticed. Where watching is refused, the watched objects are read with GET every 5 s. Where there is no memory for
 * a watch, they are reported every minute as if they had changed.
 */

import { type ByteBudget, unlimitedBytes } from '../../base/collections/byte-budget.ts';
import { createDeps, type Deps, type DepsWith } from '../../base/deps.ts';
import type { WatchedObject } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
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
  /** Memory for the watches themselves, with their connections, that other clusters may share. Default: no bound. */
  readonly watches?: ByteBudget;
}

/**
 * Memory of a watch, in bytes: a connection with TLS takes 90 KiB with all that belongs to it, and several times as much while its server
 * sends faster than it is read. A part of these buffers counts elsewhere.
 */
export const WATCH_BYTES = 128 * 1024;

/** A watch stays open after its last subscriber, so that the next reconcile that waits finds it open. */
const LINGER_MS = 2000;

/** Until an object without a watch is reported, so that its subscriber reads it again. */
const UNWATCHED_MS = 60_000;

export function createObjectWatcher(options: ObjectWatcherOptions): ObjectWatcher {
  const { client, watches: memory = unlimitedBytes } = options;
  const deps = createDeps(options);
  const { clock } = deps;
  const watches = new Map<string, { readonly sharedWatch: SharedWatch; cancelClose: () => void }>();
  let closed = false;

  /** @returns undefined if there is no memory */
  const open = (type: ResourceType, namespace: string | undefined): SharedWatch | undefined => {
    const id = `${groupResource(type)}/${type.version}/${namespace ?? ''}`;
    let entry = watches.get(id);
    if (!entry) {
      if (!memory.take(WATCH_BYTES)) return undefined;
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
            memory.give(WATCH_BYTES);
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
    const opened = open(type, namespace);
    return opened?.watch(key.name, readVersion, onChange, poll) ?? unwatched(deps, readVersion, onChange);
  };

  return {
    watch,
    target: (type, key, readVersion) => {
      const version = keptVersion(readVersion);
      return {
        description: `${type.kind} ${keyString(key)} on ${client.clusterName}`,
        // No closure of its own: a subscription without a watch would refer to a cluster that is closed.
        watch: (onChange) => watch(type, key, version, onChange).stop,
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
        memory.give(WATCH_BYTES);
      }
      watches.clear();
    },
  };
}

/** It refers to nothing of the cluster, which may be closed meanwhile: there may be very many. */
function unwatched(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  readVersion: ReadVersion,
  onChange: (now: ReadVersion) => void,
): ObjectWatch {
  const delayMs = jitter(UNWATCHED_MS, 0.2, random);
  return { isCurrent: () => false, stop: clock.after(delayMs, () => onChange(readVersion)) };
}

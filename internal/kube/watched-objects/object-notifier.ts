/**
 * Tells when single objects of one cluster change, without keeping any of them: for whoever waits for objects that
 * others own.
 *
 * There is one metadata-only watch for each kind and namespace, open only while somebody observes something there
 * and a little longer. Opening it costs one request. Of the objects it passes only the names and versions are
 * remembered, which is what makes a change visible that happened before somebody began to observe. Where watching
 * is refused, the observed objects alone are asked for every 5 s.
 */

import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import type { WaitTarget } from '../../base/errors/errors.ts';
import { keptVersion, type SeenVersion } from '../cache/observed-versions.ts';
import type { KubeClient } from '../client/client.ts';
import { keyString, type ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import { createNotifierChannel, type NotifierChannel, type Observation } from './notifier-channel.ts';

export interface ObserveOptions {
  /** Where watching is forbidden, ask for the object every few seconds. Default true. */
  readonly poll?: boolean;
}

export interface ObjectNotifier {
  /** What a WaitingError names: the object, seen in that version. Does nothing before it is watched. */
  target(type: ResourceType, key: ObjectKey, seen: SeenVersion): WaitTarget;
  /**
   * @param onChange the object differs from what was seen, or may; called again for each further version, never
   * from within `observe`
   */
  observe(
    type: ResourceType,
    key: ObjectKey,
    seen: SeenVersion,
    onChange: () => void,
    options?: ObserveOptions,
  ): Observation;
  /** Observers that have not stopped. */
  size(): number;
  /** Tells everybody who observes, as if everything had changed. */
  wake(): void;
  /** Ends all watches. Whoever still observes is told once, to read anew from what replaces this. */
  close(): void;
}

export interface ObjectNotifierOptions extends DepsWith<'clock'> {
  readonly client: KubeClient;
  /**
   * What the names that watches pass may take in memory, all of them together. Where there is no room, observed objects
   * are asked for one by one, as where watching is forbidden. Default: no bound, for a server that is trusted.
   */
  readonly names?: ByteBudget;
}

/** A watch stays open for a moment after its last observer: who waits again in the next pass pays nothing. */
const LINGER_MS = 2000;

export function createObjectNotifier(options: ObjectNotifierOptions): ObjectNotifier {
  const { client } = options;
  const deps = createDeps(options);
  const { clock } = deps;
  const channels = new Map<string, { readonly channel: NotifierChannel; cancelClose: () => void }>();
  let closed = false;

  const open = (type: ResourceType, namespace: string | undefined) => {
    const id = `${groupResource(type)}/${type.version}/${namespace ?? ''}`;
    let entry = channels.get(id);
    if (!entry) {
      const channel = createNotifierChannel({
        ...deps,
        client,
        type,
        namespace,
        ...(options.names ? { names: options.names } : {}),
        onIdle: () => {
          const idle = channels.get(id);
          if (!idle) return;
          idle.cancelClose = clock.after(LINGER_MS, () => {
            channels.delete(id);
            channel.close();
          });
        },
      });
      entry = { channel, cancelClose: () => undefined };
      channels.set(id, entry);
    }
    entry.cancelClose();
    return entry.channel;
  };

  const observe: ObjectNotifier['observe'] = (type, key, seen, onChange, { poll = true } = {}) => {
    if (closed) return { isCurrent: () => false, stop: clock.after(0, onChange) };
    const namespace = type.namespaced ? (key.namespace ?? '') : undefined;
    return open(type, namespace).observe(key.name, seen, onChange, poll);
  };

  return {
    observe,
    target: (type, key, seen) => {
      const version = keptVersion(seen);
      return {
        description: `${type.kind} ${keyString(key)} on ${client.clusterName}`,
        watch: (onChange) => observe(type, key, version, onChange).stop,
      };
    },
    size: () => [...channels.values()].reduce((sum, { channel }) => sum + channel.size(), 0),
    wake: () => {
      for (const { channel } of [...channels.values()]) channel.wake();
    },
    close: () => {
      closed = true;
      for (const { channel, cancelClose } of channels.values()) {
        cancelClose();
        channel.close();
      }
      channels.clear();
    },
  };
}

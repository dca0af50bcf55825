/** A subscriber of a gate, called when it opens and closes. */
export interface GateWatcher<K> {
  /** Opens once all of these are open. Empty: at once. */
  readonly needs: readonly K[];
  /** Once open, closes when one of these closes. Default `needs`. */
  readonly keeps?: readonly K[];
  /** Called asynchronously, once for each opening. Must not throw. */
  readonly opened: () => void;
  /** Called asynchronously, once after each `opened`. Default: none. */
  readonly closed?: () => void;
}

/**
 * Notifies watchers when their dependencies become available or unavailable: every opening and closing, in order,
 * however short the time in between. Like the gate of crossplane-runtime, which notifies of the first
 * opening only.
 */
export interface Gate<K> {
  /** Opens or closes a key; all are closed at first. Returns whether it changed. */
  set(key: K, open: boolean): boolean;
  /** The returned function unregisters the watcher without a further call. */
  register(watcher: GateWatcher<K>): () => void;
}

interface Registration<K> {
  readonly watcher: GateWatcher<K>;
  open: boolean;
}

/** @typeParam K compared as keys of a Map are */
export function createGate<K>(): Gate<K> {
  const openKeys = new Set<K>();
  const registrations = new Set<Registration<K>>();

  const notify = (registration: Registration<K>, call: (() => void) | undefined) =>
    queueMicrotask(() => {
      if (registrations.has(registration)) call?.();
    });
  const evaluate = (registration: Registration<K>) => {
    const { needs, keeps = needs, opened, closed } = registration.watcher;
    const required = registration.open ? keeps : needs;
    const open = required.every((key) => openKeys.has(key));
    if (open === registration.open) return;
    registration.open = open;
    notify(registration, open ? opened : closed);
  };
  return {
    set: (key, open) => {
      if (openKeys.has(key) === open) return false;
      if (open) openKeys.add(key);
      else openKeys.delete(key);
      for (const registration of registrations) evaluate(registration);
      return true;
    },
    register: (watcher) => {
      const registration = { watcher, open: false };
      registrations.add(registration);
      evaluate(registration);
      return () => {
        registrations.delete(registration);
      };
    },
  };
}

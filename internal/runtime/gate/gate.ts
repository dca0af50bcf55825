/** Something that runs while others are there, and is told when to begin and when to end. */
export interface GateWatcher<K> {
  /** It opens once all of these are open at the same time. None: at once. */
  readonly needs: readonly K[];
  /** Once open, it closes when one of these closes. Default `needs`. */
  readonly keeps?: readonly K[];
  /** Called in the background, once for each opening. Must not throw. */
  readonly opened: () => void;
  /** Called in the background, once after each `opened`. Default: nothing. */
  readonly closed?: () => void;
}

/**
 * Holds things back until what they need is there, and tells them when it goes: every opening and every closing, in
 * their order, however short the time between. Rule: managed-framework §8, whose gate tells of the first opening only.
 */
export interface Gate<K> {
  /** Opens or closes a key; all are closed at first. Returns whether that changed something. */
  set(key: K, open: boolean): boolean;
  /** The returned function ends it without a further call. */
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

  const tell = (registration: Registration<K>, call: (() => void) | undefined) =>
    queueMicrotask(() => {
      if (registrations.has(registration)) call?.();
    });
  const judge = (registration: Registration<K>) => {
    const { needs, keeps = needs, opened, closed } = registration.watcher;
    const wanted = registration.open ? keeps : needs;
    const open = wanted.every((key) => openKeys.has(key));
    if (open === registration.open) return;
    registration.open = open;
    tell(registration, open ? opened : closed);
  };
  return {
    set: (key, open) => {
      if (openKeys.has(key) === open) return false;
      if (open) openKeys.add(key);
      else openKeys.delete(key);
      for (const registration of registrations) judge(registration);
      return true;
    },
    register: (watcher) => {
      const registration = { watcher, open: false };
      registrations.add(registration);
      judge(registration);
      return () => {
        registrations.delete(registration);
      };
    },
  };
}

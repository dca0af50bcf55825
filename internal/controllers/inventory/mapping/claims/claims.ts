/** Names something that only one claimant can hold. Claims with equal subjects contend. */
export type Subject = string;

/** A resource that claims something. */
export interface Claimant {
  readonly uid: string;
  /** The time of its creation, RFC 3339 in UTC, so that strings order as times do. */
  readonly createdAt: string;
}

/**
 * Decides who holds what several claim: the oldest claimant, and of equally old ones the one with the smaller uid. The
 * holder depends on the claims alone, never on the order in which they became known.
 */
export interface Claims<C extends Claimant> {
  /** Replaces what the claimant claimed before. No subjects: it claims nothing any more. */
  claim(claimant: C, subjects: ReadonlySet<Subject>): void;
  holder(subject: Subject): C | undefined;
  /**
   * Calls `onChange` for every other claimant when the holder of something that it claims has changed: to it, from it, or
   * between two others. The returned function ends it.
   */
  subscribe(onChange: (claimant: C) => void): () => void;
  /** Calls `onChange` when the holder of the subject has changed. The returned function ends it. */
  watch(subject: Subject, onChange: () => void): () => void;
}

export function createClaims<C extends Claimant>(): Claims<C> {
  // Lists, since there are thousands, nearly all of them of one: sets would take several times the memory.
  const claimed = new Map<string, readonly Subject[]>();
  const claimants = new Map<Subject, readonly C[]>();
  const listeners = new Set<(claimant: C) => void>();
  const watchers = new Map<Subject, Set<() => void>>();

  const holder = (subject: Subject): C | undefined => {
    let oldest: C | undefined;
    for (const claimant of claimants.get(subject) ?? []) {
      if (oldest === undefined || precedes(claimant, oldest)) oldest = claimant;
    }
    return oldest;
  };
  const enter = (subject: Subject, claimant: C) => {
    // By `concat`, which makes a list as long as it must be; a spread leaves room for a dozen more.
    claimants.set(subject, others(subject, claimant).concat(claimant));
  };
  const leave = (subject: Subject, claimant: C) => {
    const rest = others(subject, claimant);
    if (rest.length === 0) claimants.delete(subject);
    else claimants.set(subject, rest);
  };
  const others = (subject: Subject, { uid }: C): C[] =>
    (claimants.get(subject) ?? []).filter((other) => other.uid !== uid);

  return {
    claim: (claimant, subjects) => {
      const before = claimed.get(claimant.uid) ?? [];
      const affected = new Map<string, C>();
      const changed: Subject[] = [];
      for (const subject of new Set([...before, ...subjects])) {
        const old = holder(subject)?.uid;
        if (subjects.has(subject)) enter(subject, claimant);
        else leave(subject, claimant);
        if (holder(subject)?.uid === old) continue;
        changed.push(subject);
        for (const other of claimants.get(subject) ?? []) affected.set(other.uid, other);
      }
      if (subjects.size === 0) claimed.delete(claimant.uid);
      // Where nothing changed, the strings stay those that `claimants` has, instead of equal ones.
      else if (!isSame(before, subjects)) claimed.set(claimant.uid, [...subjects]);
      affected.delete(claimant.uid);
      for (const other of affected.values()) for (const listener of [...listeners]) listener(other);
      for (const subject of changed) for (const watcher of [...(watchers.get(subject) ?? [])]) watcher();
    },
    holder,
    subscribe: (onChange) => {
      const own = (claimant: C) => onChange(claimant);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    watch: (subject, onChange) => {
      const own = () => onChange();
      const of = watchers.get(subject) ?? new Set();
      watchers.set(subject, of.add(own));
      return () => {
        of.delete(own);
        if (of.size === 0 && watchers.get(subject) === of) watchers.delete(subject);
      };
    },
  };
}

const isSame = (before: readonly Subject[], subjects: ReadonlySet<Subject>): boolean =>
  before.length === subjects.size && before.every((subject) => subjects.has(subject));

/** Whether `a` is older than `b`, or as old and first by its uid. */
export function precedes(a: Claimant, b: Claimant): boolean {
  return a.createdAt === b.createdAt ? a.uid < b.uid : a.createdAt < b.createdAt;
}

/** Something that only one claimant can hold. */
export type Subject = string;

/** A resource that claims something. */
export interface Claimant {
  readonly uid: string;
  /** `creationTimestamp`: RFC 3339 in UTC, so string order is time order. */
  readonly createdAt: string;
}

/**
 * Decides which claimant holds a subject: the oldest one; of equally old ones, the one with the smaller uid. The holder
 * does not depend on the order of the calls.
 */
export interface Claims<C extends Claimant> {
  /** Replaces all claims of the claimant. An empty set removes them. */
  claim(claimant: C, subjects: ReadonlySet<Subject>): void;
  holder(subject: Subject): C | undefined;
  /** All who claim the subject, in no order. */
  claimants(subject: Subject): readonly C[];
  /**
   * When the holder of a subject changes, calls `onChange` for each claimant of that subject except the one whose
   * claims changed. The returned function ends the subscription.
   */
  subscribe(onChange: (claimant: C) => void): () => void;
  /** Calls `onChange` when the holder of the subject changes. The returned function ends the subscription. */
  watch(subject: Subject, onChange: () => void): () => void;
}

export function createClaims<C extends Claimant>(): Claims<C> {
  // Arrays: thousands of entries with nearly always one element. Sets would take several times the memory.
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
    // `concat` allocates the exact length; a spread reserves spare capacity.
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
      // Keeps the strings that `claimants` shares if nothing changed.
      else if (!isSame(before, subjects)) claimed.set(claimant.uid, [...subjects]);
      affected.delete(claimant.uid);
      for (const other of affected.values()) for (const listener of [...listeners]) listener(other);
      for (const subject of changed) for (const watcher of [...(watchers.get(subject) ?? [])]) watcher();
    },
    holder,
    claimants: (subject) => claimants.get(subject) ?? [],
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

/** Whether `a` is older than `b`; of equal age, whether its uid is smaller. */
export function precedes(a: Claimant, b: Claimant): boolean {
  return `${a.createdAt} ${a.uid}` < `${b.createdAt} ${b.uid}`;
}

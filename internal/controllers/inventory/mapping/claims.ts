/** Names something that only one can have; equal for claims that contend. */
export type Subject = string;

/** Whoever claims something. */
export interface Claimant {
  readonly uid: string;
  /** When it came into the world; RFC 3339 in UTC, so that texts order as times do. */
  readonly createdAt: string;
}

/**
 * Who has what, where several claim the same: the oldest has it, of equally old ones the one with the lesser uid.
 * Who that is depends on the claims alone, never on the order in which they became known.
 */
export interface Claims<C extends Claimant> {
  /** Takes the place of what the claimant claimed before; nothing: it claims nothing any more. */
  claim(claimant: C, subjects: ReadonlySet<Subject>): void;
  holder(subject: Subject): C | undefined;
  /**
   * Tells of every other claimant for which the holder of something it claims has changed, whether to it, from it, or
   * between two others. The returned function ends it.
   */
  subscribe(onChange: (claimant: C) => void): () => void;
}

export function createClaims<C extends Claimant>(): Claims<C> {
  // Lists, since there are thousands, nearly all of them of one: sets would take several times the memory.
  const claimed = new Map<string, readonly Subject[]>();
  const claimants = new Map<Subject, readonly C[]>();
  const listeners = new Set<(claimant: C) => void>();

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
      const told = new Map<string, C>();
      for (const subject of new Set([...before, ...subjects])) {
        const old = holder(subject)?.uid;
        if (subjects.has(subject)) enter(subject, claimant);
        else leave(subject, claimant);
        if (holder(subject)?.uid === old) continue;
        for (const other of claimants.get(subject) ?? []) told.set(other.uid, other);
      }
      if (subjects.size === 0) claimed.delete(claimant.uid);
      // Where nothing changed, the texts stay those that `claimants` has, instead of equal ones.
      else if (!isSame(before, subjects)) claimed.set(claimant.uid, [...subjects]);
      told.delete(claimant.uid);
      for (const other of told.values()) for (const listener of [...listeners]) listener(other);
    },
    holder,
    subscribe: (onChange) => {
      const own = (claimant: C) => onChange(claimant);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
  };
}

const isSame = (before: readonly Subject[], subjects: ReadonlySet<Subject>): boolean =>
  before.length === subjects.size && before.every((subject) => subjects.has(subject));

function precedes(a: Claimant, b: Claimant): boolean {
  return a.createdAt === b.createdAt ? a.uid < b.uid : a.createdAt < b.createdAt;
}

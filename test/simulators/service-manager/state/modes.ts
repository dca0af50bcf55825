/** What a change does. Absent fields match everything. */
export interface ModeMatch {
  readonly kind?: 'instance' | 'binding';
  readonly operation?: 'create' | 'update' | 'delete';
  /** Catalog name of the plan. */
  readonly plan?: string;
  /** Name of the instance or binding. */
  readonly name?: string;
  /** Applies only to so many changes. */
  readonly first?: number;
}

export interface Mode {
  /** Absent: the change is synchronous. */
  readonly async?: {
    /**
     * Polls that find the operation in progress. A request that is refused because of the operation counts as one. Null:
     * until `store.finishOperation`.
     */
    readonly polls: number | null;
    /** Of these, so many find it `pending`. Default 0. */
    readonly pending?: number;
    readonly description?: string;
    /** Default `succeeded`. */
    readonly outcome?: 'succeeded' | 'failed';
    /** Of a failed operation. Default: an object with a description. */
    readonly errors?: unknown;
    /** The operation has no type. */
    readonly omitType?: boolean;
  };
  /** Of a new binding. Default: an object with strings. */
  readonly credentials?: unknown;
}

export interface ModeRule {
  readonly on: ModeMatch;
  readonly mode: Mode;
}

export interface ModeSubject {
  readonly kind: 'instance' | 'binding';
  readonly operation: 'create' | 'update' | 'delete';
  readonly plan: string;
  readonly name: string;
}

export interface Modes {
  /** Later rules have precedence. Returns the function that removes it. */
  add(rule: ModeRule): () => void;
  list(): ModeRule[];
  /** Counts the change. */
  of(subject: ModeSubject): Mode;
  /** Back to those of the start. */
  clear(): void;
}

/** Changes of plan `async` take two polls. */
const defaultModes: readonly ModeRule[] = [
  { on: { plan: 'async' }, mode: { async: { polls: 2, description: 'in progress' } } },
];

export function createModes(initial: readonly ModeRule[] = defaultModes): Modes {
  let entries: { readonly rule: ModeRule; used: number }[] = [];
  const add = (rule: ModeRule) => {
    const entry = { rule, used: 0 };
    entries.unshift(entry);
    return () => {
      entries = entries.filter((other) => other !== entry);
    };
  };
  const clear = () => {
    entries = [];
    for (const rule of initial) add(rule);
  };
  clear();
  return {
    add,
    list: () => entries.map(({ rule }) => rule),
    of: (subject) => {
      const entry = entries.find(({ rule: { on }, used }) => {
        const { first = Number.POSITIVE_INFINITY, kind, operation, plan, name } = on;
        const matches =
          (kind ?? subject.kind) === subject.kind &&
          (operation ?? subject.operation) === subject.operation &&
          (plan ?? subject.plan) === subject.plan &&
          (name ?? subject.name) === subject.name;
        return matches && used < first;
      });
      if (entry === undefined) return {};
      entry.used++;
      return entry.rule.mode;
    },
    clear,
  };
}

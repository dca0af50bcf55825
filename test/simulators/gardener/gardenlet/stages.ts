import type { LastError, OperationState, OperationType } from '../kinds.ts';

/** One state that an operation on a Shoot goes through. */
export interface Stage {
  readonly state: OperationState;
  /** Per cent. Default: 100 for Succeeded, else 0. */
  readonly progress?: number;
  /** Default: a sentence as Gardener's. */
  readonly description?: string;
  /** `status.lastErrors`; default: none. */
  readonly errors?: readonly LastError[];
}

/** How operations end, other than well. The operation stays in the last stage until something else is asked for. */
export interface StageRule {
  readonly on: {
    /** Name of the Shoot; default: each. */
    readonly shoot?: string;
    /** Default: each. */
    readonly operation?: OperationType;
    /** Only so many operations; default: all. */
    readonly first?: number;
  };
  readonly stages: readonly Stage[];
}

const ENDS_WELL: readonly Stage[] = [{ state: 'Processing', progress: 30 }, { state: 'Succeeded' }];

const DEFAULT_STAGES: Readonly<Record<OperationType, readonly Stage[]>> = {
  Create: [{ state: 'Pending' }, ...ENDS_WELL],
  Reconcile: ENDS_WELL,
  Delete: ENDS_WELL,
};

/** As Gardener's scheduler describes that no seed fits. */
export const noSeedDescription = (provider: string, seeds = 3): string =>
  `Failed to schedule Shoot: none out of the ${seeds} seeds has a matching provider for "${provider}"`;

/** Stages of well-known outcomes. */
export const outcomes = {
  noSeed: (provider: string): Stage[] => [{ state: 'Pending', description: noSeedDescription(provider) }],
  failed: (...codes: readonly string[]): Stage[] => [
    { state: 'Processing', progress: 30 },
    { state: 'Failed', progress: 30, errors: [errorOf(codes)] },
  ],
  error: (...codes: readonly string[]): Stage[] => [
    { state: 'Processing', progress: 30 },
    { state: 'Error', progress: 30, errors: [errorOf(codes)] },
  ],
  stuck: (): Stage[] => [{ state: 'Processing', progress: 30 }],
  aborted: (): Stage[] => [{ state: 'Aborted', progress: 30 }],
};

const errorOf = (codes: readonly string[]): LastError => ({
  description: `task "Waiting until shoot worker nodes have been reconciled" failed (${codes.join(', ')})`,
  ...(codes.length === 0 ? {} : { codes: [...codes] }),
});

export interface StageRules {
  /** Later rules come first. */
  add(rule: StageRule): void;
  clear(): void;
  /** The stages of an operation that begins now. */
  stagesOf(shoot: string, operation: OperationType): readonly Stage[];
}

export function createStageRules(): StageRules {
  let rules: { readonly rule: StageRule; left: number }[] = [];
  return {
    add: (rule) => {
      rules = [{ rule, left: rule.on.first ?? Number.POSITIVE_INFINITY }, ...rules];
    },
    clear: () => {
      rules = [];
    },
    stagesOf: (shoot, operation) => {
      const found = rules.find(({ rule: { on }, left }) => {
        return left > 0 && (on.shoot ?? shoot) === shoot && (on.operation ?? operation) === operation;
      });
      if (found === undefined) return DEFAULT_STAGES[operation];
      found.left -= 1;
      return found.rule.stages;
    },
  };
}

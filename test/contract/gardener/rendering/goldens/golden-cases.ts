import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type {
  AuditTenant,
  Configuration,
} from '../../../../../internal/systems/infrastructure-manager/configuration/configuration.ts';
import type { ProviderType } from '../../../../environment/gardener/catalog.ts';
import { changesWith, runtimeAfter } from '../changes.ts';
import { configurationOf, tenant, zonesOf } from '../choices.ts';
import { type Plan, plans, runtimeOfPlan } from '../plans.ts';

/** What a Shoot is rendered from. */
export interface GoldenCase {
  readonly title: string;
  readonly runtime: Runtime;
  readonly configuration: Configuration;
  readonly audit: AuditTenant | undefined;
  /** Title of an earlier case whose Shoot is patched. */
  readonly patches?: string;
}

/** The results of a provider: one Shoot, and how the others differ from it. */
export interface Goldens {
  readonly base: Shoot;
  readonly differences: Readonly<Record<string, Differences>>;
}

const NAME = 'golden';
const ZONES = 3;
const LIVE = 'before changes';

/** Whether no earlier plan has the same range of nodes. */
const hasOwnRange = ({ shoot }: Plan, index: number): boolean =>
  index === 0 || shoot?.networking !== undefined;

/** Each plan with three zones, each range of nodes with one and with all, and each change. The first is the base of the others. */
export function goldenCases(type: ProviderType): GoldenCase[] {
  const [one, three, all] = [1, ZONES, zonesOf(type).length];
  const configuration = configurationOf('kyma');
  const created = [...new Set([three, one, all])].flatMap((count) =>
    plans.filter(count === three ? () => true : hasOwnRange).map((plan): GoldenCase => {
      const { ownDns = true, hasAudit = false, enableCredentialBinding = false, title } = plan;
      return {
        title: `${title}, zones: ${count}`,
        runtime: runtimeOfPlan(type, NAME, count, plan),
        configuration: configurationOf('kyma', { ownDns, enableCredentialBinding }),
        audit: hasAudit ? tenant : undefined,
      };
    }),
  );
  const live: GoldenCase = {
    title: LIVE,
    runtime: runtimeAfter(type, NAME, three, { title: LIVE }),
    ...{ configuration, audit: undefined },
  };
  const patched = changesWith(type, three).map(
    (change): GoldenCase => ({
      title: `changed: ${change.title}`,
      runtime: runtimeAfter(type, NAME, three, change),
      ...{ configuration, audit: change.hasAudit === true ? tenant : undefined },
      patches: LIVE,
    }),
  );
  return [...created, live, ...patched];
}

/** Values by path; null: there is none. */
export type Differences = Readonly<Record<string, unknown>>;

/** How `other` differs from `base`: the value at each path where one of them has another. Lists of another length differ as a whole. */
export function differencesOf(base: unknown, other: unknown, path = ''): Differences {
  if (isContainer(base) && isContainer(other) && Array.isArray(base) === Array.isArray(other)) {
    const [left, right] = [Object.entries(base), Object.entries(other)];
    if (!Array.isArray(base) || left.length === right.length) {
      const keys = [...new Set([...left, ...right].map(([key]) => key))].sort();
      const [a, b] = [new Map(left), new Map(right)];
      return Object.assign({}, ...keys.map((key) => differencesOf(a.get(key), b.get(key), `${path}/${key}`)));
    }
  }
  return JSON.stringify(base) === JSON.stringify(other) ? {} : { [path]: other ?? null };
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

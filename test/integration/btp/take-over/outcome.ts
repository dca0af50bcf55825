import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import type { ServiceManagerSimulator } from '../../../simulators/service-manager/simulator.ts';

type Conditioned = KubeObject & {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
    }[];
  };
};

/** `type status reason` of the first condition, which print columns show; `gone`: there is no object. */
export function finalCondition(object: Conditioned | undefined): string {
  if (object === undefined) return 'gone';
  const [first] = object.status?.conditions ?? [];
  return `${first?.type} ${first?.status} ${first?.reason}`;
}

export interface ChangesFilter {
  /** Only requests that came after this record. */
  readonly after: number;
  /** IDs in the path. */
  readonly ids: readonly string[];
  /** Name in the body. */
  readonly name: string;
}

/** Requests that change something in Service Manager for one object, in their order. */
export function changesOf(simulator: ServiceManagerSimulator, { after, ids, name }: ChangesFilter): string[] {
  return simulator
    .requests({ after })
    .filter(({ method, route }) => method !== 'GET' && route !== 'grantToken')
    .filter(
      ({ instance, body }) => (instance !== undefined && ids.includes(instance)) || nameIn(body) === name,
    )
    .map(({ route = '' }) => route);
}

const nameIn = (body: unknown) => (body as { readonly name?: string } | undefined)?.name;

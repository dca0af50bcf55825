import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { type CompositionExample, readObjects, renderedPath, type Stage } from './stages.ts';

/** A rendered composite resource. */
export interface Composite extends KubeObject {
  readonly spec: {
    readonly cluster: string;
    readonly database: string;
    readonly namespace?: string;
    readonly namespaces?: readonly string[];
  };
  readonly status: {
    readonly conditions: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly [key: string]: unknown;
  };
}

/** What the functions made of an example at a stage, as recorded. */
export async function rendered(name: CompositionExample['name'], stage: Stage) {
  const [composite, ...composed] = await readObjects(renderedPath(name, stage));
  return { composite: composite as Composite, composed: composed as (KubeObject & { spec: object })[] };
}

export const condition = ({ status }: Composite, type: string) =>
  status.conditions.find((each) => each.type === type);

import type { KubeObject } from '../../../../../framework/kube/index.ts';

import {
  isPermitted,
  type Owner,
  type Ownership,
  type OwnershipRule,
  recordedOwnership,
} from '../../../../../framework/ownership/ownership.ts';
import { objectNameOf } from '../component-name.ts';
import { LABEL_COMPONENT } from '../interceptors/interceptors.ts';

/** Objects of the Go program name no component: a chart, an inventory or the name of an earlier version says whose they are. */
const RULE: OwnershipRule = { unrecorded: ['adopt', 'update', 'delete'], abandoned: [] };

/** Whose an object of a managed cluster is: a label names the component that has deployed it last. */
function componentOwnership({ metadata }: KubeObject, component: string): Ownership {
  const recorded = metadata.labels?.[LABEL_COMPONENT];
  return recordedOwnership(
    ownerOf(objectNameOf(component)),
    recorded === undefined ? undefined : ownerOf(recorded),
  );
}

/** Whether the component must leave it: it neither changes nor deletes what another component has deployed since. */
export const isOfAnother = (object: KubeObject, component: string): boolean =>
  !isPermitted(componentOwnership(object, component), 'delete', RULE);

const ownerOf = (name: string): Owner => ({ kind: 'component', name });

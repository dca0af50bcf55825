/** The kinds of the cases. */

import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { configMaps, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { crdOf } from '../../environment/crd-of.ts';

/** An object of any of the kinds: `spec` or `data` has the content. */
export interface Content extends KubeObject {
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
  status?: Record<string, unknown>;
}

export const contractConfigMaps: ResourceType<Content> = configMaps;

export const contractWidgets: ResourceType<Content> = {
  group: 'contract.example.org',
  version: 'v1',
  kind: 'ContractWidget',
  plural: 'contractwidgets',
  namespaced: true,
};
export const clusterWidgets: ResourceType<Content> = {
  ...contractWidgets,
  kind: 'ClusterContractWidget',
  plural: 'clustercontractwidgets',
  namespaced: false,
};
/** No server has it. */
export const unservedWidgets: ResourceType<Content> = {
  ...contractWidgets,
  kind: 'UnservedWidget',
  plural: 'unservedwidgets',
};

const text = { type: 'string' };
const fieldsOf = (properties: object) => ({ type: 'object', properties });

/** As most kinds declare their fields: maps are granular, lists atomic, conditions have the key `type`. */
const schema = fieldsOf({
  spec: fieldsOf({
    ...{ colour: text, shape: text, tags: { type: 'array', items: text } },
    parts: { type: 'object', additionalProperties: text },
  }),
  status: fieldsOf({
    ...{ phase: text, note: text },
    conditions: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      items: { ...fieldsOf({ type: text, status: text }), required: ['type', 'status'] },
    },
  }),
});
export const contractCrds = [contractWidgets, clusterWidgets].map((type) => crdOf(type, schema));

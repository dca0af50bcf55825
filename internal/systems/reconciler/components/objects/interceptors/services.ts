import { isObject, valueAt } from '../../../../../framework/base/json/json-field.ts';
import type { Interceptor } from './interceptor.ts';

const TYPES: ReadonlySet<unknown> = new Set([undefined, 'ClusterIP', 'NodePort']);

/** The cluster IP of a Service is immutable: an empty one, or `None`, becomes that of the cluster. */
export const keepClusterIp: Interceptor = async (prepared, { live }) => {
  const { object, type } = prepared;
  if (type.group !== '' || type.kind !== 'Service') return;
  const spec = valueAt(object, ['spec']);
  // Without the field, the API server keeps the address itself.
  if (!isObject(spec) || !TYPES.has(spec.type) || !('clusterIP' in spec)) return;
  if (spec.clusterIP !== '' && spec.clusterIP !== 'None') return;
  const found = valueAt(await live(prepared), ['spec', 'clusterIP']);
  const address = typeof found === 'string' && found !== '' ? found : spec.clusterIP;
  const { clusterIP: _, ...others } = spec;
  Object.assign(object, { spec: address === '' ? others : { ...others, clusterIP: address } });
};

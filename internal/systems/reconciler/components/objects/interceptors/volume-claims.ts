import { isObject, valueAt } from '../../../../../framework/base/json/json-field.ts';
import type { Interceptor } from './interceptor.ts';

const PATH = ['spec', 'resources', 'requests', 'storage'];

/** The size of a PersistentVolumeClaim that exists stays: users enlarge it, and it cannot shrink. */
export const keepVolumeSize: Interceptor = async (prepared, { live }) => {
  const { object, type } = prepared;
  if (type.group !== '' || type.kind !== 'PersistentVolumeClaim') return;
  const wanted = valueAt(object, PATH);
  if (wanted === undefined) return;
  const size = valueAt(await live(prepared), PATH);
  if (typeof size !== 'string' || size === wanted) return;
  const requests = valueAt(object, PATH.slice(0, -1));
  if (isObject(requests)) Object.assign(requests, { storage: size });
};

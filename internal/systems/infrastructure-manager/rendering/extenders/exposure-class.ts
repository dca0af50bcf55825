import type { Extender } from '../model/extender.ts';

/** On OpenStack the API server is reached from the internet by a class of its own. */
export const exposureClass: Extender = ({ spec }) =>
  spec.shoot.provider.type === 'openstack' ? { spec: { exposureClassName: 'converged-cloud-internet' } } : {};

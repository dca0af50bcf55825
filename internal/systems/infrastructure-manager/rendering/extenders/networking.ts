import { usesDualStack } from '../model/dual-stack.ts';
import type { Extender } from '../model/extender.ts';
import { rawDocument } from '../model/raw-document.ts';

const vxlan = rawDocument({
  apiVersion: 'calico.networking.extensions.gardener.cloud/v1alpha1',
  kind: 'NetworkConfig',
  vxlan: { enabled: true },
  overlay: { enabled: true },
});

/** Families of addresses, and tunnels between nodes, of a new Shoot. Neither can change. */
export const networking: Extender = (input) => ({
  networking: {
    ...(usesDualStack(input) ? { ipFamilies: ['IPv4', 'IPv6'] } : {}),
    ...(input.spec.shoot.provider.type === 'gdch' ? { providerConfig: vxlan } : {}),
  },
});

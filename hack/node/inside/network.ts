import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ADDRESSES } from '../settings.ts';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args);

/**
 * Gives the network namespace the node's address. No route leads out of it: what is pulled comes from the node's own
 * registry.
 */
export async function prepareNetwork(): Promise<void> {
  await ip('link', 'set', 'lo', 'up');
  // Not a dummy device, which some kernels lack.
  await ip('link', 'add', 'node0', 'type', 'veth', 'peer', 'name', 'node1');
  await ip('address', 'add', `${ADDRESSES.node}/24`, 'dev', 'node0');
  for (const device of ['node0', 'node1']) await ip('link', 'set', device, 'up');
  // A route is looked up before kube-proxy's rules: without one the API server would reach no webhook by its Service.
  await ip('route', 'add', ADDRESSES.services, 'dev', 'node0');
  // Of this namespace only: packets of pods are routed.
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
}

/**
 * Drops packets of pods to the API server, or lets them pass again, as a NetworkPolicy would: connections that are open hang,
 * and new ones are not answered. The kubelet is not affected.
 *
 * @param port of the API server
 */
export async function isolatePods(port: number, isolated: boolean): Promise<void> {
  const rule = ['--source', ADDRESSES.pods, '--protocol', 'tcp', '--dport', String(port), '--jump', 'DROP'];
  await run('iptables', ['--wait', isolated ? '--insert' : '--delete', 'INPUT', ...rule]);
}

/** One interface a pod, routed by the node, so that no bridge has to pass packets to iptables. */
export const cniConfiguration = (directory: string) => ({
  cniVersion: '1.0.0',
  name: 'node',
  plugins: [
    {
      type: 'ptp',
      ipam: {
        type: 'host-local',
        dataDir: directory,
        ranges: [[{ subnet: ADDRESSES.pods }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
});

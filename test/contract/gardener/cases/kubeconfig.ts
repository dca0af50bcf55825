/** `adminkubeconfig` of a Shoot. */
import { X509Certificate } from 'node:crypto';
import { expect } from '@jest/globals';
import { parse } from 'yaml';
import { type AdminKubeconfigRequest, type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type ContractCase,
  createdShoot,
  createShoot,
  type GardenerServer,
  statusOf,
} from '../contract-case.ts';

const request = ({ client, namespace }: GardenerServer, name: string, expirationSeconds?: number) =>
  client.createSubresource<AdminKubeconfigRequest & { metadata: { name: string } }>(
    shoots,
    { namespace, name },
    'adminkubeconfig',
    {
      apiVersion: 'authentication.gardener.cloud/v1alpha1',
      kind: 'AdminKubeconfigRequest',
      spec: expirationSeconds === undefined ? {} : { expirationSeconds },
    },
  );

/** As soon as Gardener's caches know what the gardenlet has written for the Shoot. */
async function created(server: GardenerServer): Promise<Shoot> {
  const shoot = await createdShoot(server);
  await eventually(async () => {
    await request(server, shoot.metadata.name);
  });
  return shoot;
}

const decode = (base64 = ''): string => Buffer.from(base64, 'base64').toString();

async function granted(server: GardenerServer, name: string, seconds?: number): Promise<number> {
  const { status } = await request(server, name, seconds);
  return (Date.parse(status?.expirationTimestamp ?? '') - server.client.now()) / 1000;
}

export const kubeconfigCases: readonly ContractCase[] = [
  {
    title: 'it is a kubeconfig of a member of system:masters, for the first address of the Shoot',
    run: async (server) => {
      const { metadata, status } = await created(server);
      const answer = await request(server, metadata.name, 7200);
      const config = parse(decode(answer.status?.kubeconfig));
      const name = `${server.namespace}--${metadata.name}-external`;
      expect(config).toMatchObject({
        'current-context': name,
        clusters: [{ name, cluster: { server: status?.advertisedAddresses?.[0]?.url } }],
        contexts: [{ name, context: { cluster: name, user: name } }],
        users: [{ name }],
      });
      expect(decode(config.clusters[0].cluster['certificate-authority-data'])).toContain('BEGIN CERTIFICATE');
      const certificate = new X509Certificate(decode(config.users[0].user['client-certificate-data']));
      expect(certificate.subject).toContain('O=system:masters');
      expect(
        Math.abs(Date.parse(certificate.validTo) - Date.parse(answer.status?.expirationTimestamp ?? '')),
      ).toBeLessThan(2000);
    },
  },
  {
    title: 'it lasts as long as is asked, an hour if nothing is asked, and at most a day',
    run: async (server) => {
      const { name } = (await created(server)).metadata;
      for (const [asked, seconds] of [
        [1200, 1200],
        [undefined, 3600],
        [172_800, 86_400],
      ] as const) {
        expect(Math.abs((await granted(server, name, asked)) - seconds)).toBeLessThan(60);
      }
    },
  },
  {
    title:
      'less than ten minutes is invalid, as is a Shoot without an address, and a missing Shoot is not found',
    run: async (server) => {
      const { name } = (await created(server)).metadata;
      expect(await statusOf(request(server, name, 599))).toBe(422);
      const pending = await createShoot(server);
      expect(await statusOf(request(server, pending.metadata.name))).toBe(422);
      expect(await statusOf(request(server, 'none'))).toBe(404);
    },
  },
];
